const lead = {
  name: "YOUR CUSTOMER'S NAME",
  phone: "YOUR CUSTOMER'S PHONE",
  email: "YOUR CUSTOMER'S E-MAIL",
  bedrooms: 'HOW MANY, SUCH AS 3',
  bathrooms: 'HOW MANY, SUCH AS 2.5',
  service: 'KIND OF CLEANING',
  notes: 'WHAT THE CUSTOMER SAID ABOUT THE HOME',
  // Change this to true only after the customer's explicit yes to the consent wording.
  communicationsConsent: false,
}

// The version of the wording that the customer was told.
const told = '{{wordingVersion}}'
// One key for one lead: every attempt below sends the same one.
const key = crypto.randomUUID()

for (let attempt = 1; ; attempt++) {
  let seconds = 2 * attempt
  try {
    const response = await fetch('https://api.example.org/api/v1/leads', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key, 'Consent-Version': told },
      body: JSON.stringify(lead),
      signal: AbortSignal.timeout(20_000),
    })
    const answer = await response.json()
    if (response.ok) {
      console.log('stored as', answer.id)
      break
    }
    if (!answer.retryable || attempt === 3) {
      console.error(answer.code, answer.hint, answer.errors ?? [])
      break
    }
    seconds = Number(response.headers.get('Retry-After') ?? seconds)
  } catch (error) {
    // No answer: the lead may have been stored. The same key makes it safe to send it again.
    if (attempt === 3) throw error
  }
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}
