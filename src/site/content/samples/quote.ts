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

// The version of the wording presented to the customer.
const presented = '{{wordingVersion}}'
// One key for one lead: every attempt below sends the same one.
const key = crypto.randomUUID()

const giveUp = Date.now() + 600_000
for (let attempt = 0; ; ) {
  let status = 0
  let seconds = 0
  let answer: { id?: string; code?: string; hint?: string; errors?: unknown[] } = {}
  try {
    const response = await fetch('https://api.example.org/api/v1/leads', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key, 'Consent-Version': presented },
      body: JSON.stringify(lead),
      signal: AbortSignal.timeout(20_000),
    })
    status = response.status
    seconds = Number(response.headers.get('Retry-After'))
    answer = await response.json()
    if (response.ok) {
      console.log('stored as', answer.id)
      break
    }
  } catch {
    // No answer, or a proxy's: the lead may have been stored. The same key makes it safe to send it again.
  }
  // A 429 does not count as an attempt: others share your address. Ten minutes of it are enough.
  if (status !== 429) attempt++
  const again = status < 400 || status === 408 || status === 429 || status >= 500
  if (!again || attempt === 3 || Date.now() > giveUp) {
    console.error(answer.code ?? (status || 'no answer'), answer.hint ?? '', answer.errors ?? [])
    break
  }
  seconds ||= 2 * attempt
  if (status === 429) seconds += Math.random() * 10
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}
