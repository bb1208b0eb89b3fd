# One key for one lead: every attempt sends the same.
key=$(uuidgen)
curl -i https://api.example.org/api/v1/leads \
  -H 'Content-Type: application/json' \
  -H "Idempotency-Key: $key" \
  --data-binary @- <<'LEAD'
{
  "formType": "support",
  "name": "YOUR CUSTOMER'S NAME",
  "phone": "YOUR CUSTOMER'S PHONE",
  "email": "YOUR CUSTOMER'S E-MAIL",
  "helpWith": "TOPIC, SUCH AS Window cleaning",
  "message": "YOUR CUSTOMER'S MESSAGE"
}
LEAD
