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

// The version of the wording that the customer was told.
$told = '{{wordingVersion}}';
// One key for one lead: every attempt below sends the same one.
$key = wp_generate_uuid4();

for ( $attempt = 1; $attempt <= 3; $attempt++ ) {
  $response = wp_remote_post( 'https://api.example.org/api/v1/leads', array(
    'headers' => array( 'Content-Type' => 'application/json', 'Idempotency-Key' => $key, 'Consent-Version' => $told ),
    'body'    => wp_json_encode( $lead ),
    'timeout' => 20,
  ) );
  $answer  = json_decode( wp_remote_retrieve_body( $response ), true );
  $status  = wp_remote_retrieve_response_code( $response );
  $seconds = wp_remote_retrieve_header( $response, 'retry-after' );
  if ( 200 === $status || 201 === $status ) {
    error_log( 'stored as ' . $answer['id'] );
    break;
  }
  // No answer: the lead may have been stored. The same key makes it safe to send it again.
  if ( ! is_wp_error( $response ) && empty( $answer['retryable'] ) ) {
    error_log( $answer['code'] . ' ' . $answer['hint'] . ' ' . wp_json_encode( $answer['errors'] ?? array() ) );
    break;
  }
  if ( $attempt < 3 ) {
    sleep( (int) ( $seconds ?: 2 * $attempt ) );
  }
}
