$lead = array(
  'name'      => "YOUR CUSTOMER'S NAME",
  'phone'     => "YOUR CUSTOMER'S PHONE",
  'email'     => "YOUR CUSTOMER'S E-MAIL",
  'bedrooms'  => 'HOW MANY, SUCH AS 3',
  'bathrooms' => 'HOW MANY, SUCH AS 2.5',
  'service'   => 'KIND OF CLEANING',
  'notes'     => 'WHAT THE CUSTOMER SAID ABOUT THE HOME',
  // Change this to true only after the customer's explicit yes to the consent wording.
  'communicationsConsent' => false,
);

// The version of the wording presented to the customer.
$presented = '{{wordingVersion}}';
// One key for one lead: every attempt below sends the same one.
$key = wp_generate_uuid4();

$give_up = time() + 600;
for ( $attempt = 0; ; ) {
  $response = wp_remote_post( 'https://api.example.org/api/v1/leads', array(
    'headers' => array( 'Content-Type' => 'application/json', 'Idempotency-Key' => $key, 'Consent-Version' => $presented ),
    'body'    => wp_json_encode( $lead ),
    'timeout' => 20,
  ) );
  $answer = json_decode( wp_remote_retrieve_body( $response ), true );
  $status = (int) wp_remote_retrieve_response_code( $response );
  if ( 200 === $status || 201 === $status ) {
    error_log( 'stored as ' . $answer['id'] );
    break;
  }
  // A 429 does not count as an attempt: others share your address. Ten minutes of it are enough.
  if ( 429 !== $status ) {
    $attempt++;
  }
  // No answer (0): the lead may have been stored. The same key makes it safe to send it again.
  $again = in_array( $status, array( 0, 408, 429 ), true ) || $status >= 500;
  if ( ! $again || 3 === $attempt || time() > $give_up ) {
    error_log( ( $answer['code'] ?? ( $status ?: 'no answer' ) ) . ' ' . ( $answer['hint'] ?? '' ) . ' ' . wp_json_encode( $answer['errors'] ?? array() ) );
    break;
  }
  $seconds = (int) wp_remote_retrieve_header( $response, 'retry-after' ) ?: 2 * $attempt;
  sleep( $seconds + ( 429 === $status ? wp_rand( 0, 10 ) : 0 ) );
}
