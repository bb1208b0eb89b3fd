# Change false to true only after the customer's explicit yes to the consent wording.
# One key for one lead: every attempt sends the same.
key=$(uuidgen)
curl -i https://api.example.org/api/v1/leads \
  -H 'Content-Type: application/json' \
  -H "Idempotency-Key: $key" \
  -H 'Consent-Version: {{wordingVersion}}' \
  --data-binary @- <<'LEAD'
{
  "name": "YOUR CUSTOMER'S NAME",
  "phone": "YOUR CUSTOMER'S PHONE",
  "email": "YOUR CUSTOMER'S E-MAIL",
  "bedrooms": "HOW MANY, SUCH AS 3",
  "bathrooms": "HOW MANY, SUCH AS 2.5",
  "service": "KIND OF CLEANING",
  "notes": "WHAT THE CUSTOMER SAID ABOUT THE HOME",
  "communicationsConsent": false
}
LEAD
