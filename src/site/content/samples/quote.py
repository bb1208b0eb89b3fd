import json, time, uuid
from urllib.error import HTTPError
from urllib.request import Request, urlopen

lead = {
    "name": "YOUR CUSTOMER'S NAME",
    "phone": "YOUR CUSTOMER'S PHONE",
    "email": "YOUR CUSTOMER'S E-MAIL",
    "bedrooms": "HOW MANY, SUCH AS 3",
    "bathrooms": "HOW MANY, SUCH AS 2.5",
    "service": "KIND OF CLEANING",
    "notes": "WHAT THE CUSTOMER SAID ABOUT THE HOME",
    # Change this to True only after the customer's explicit yes to the consent wording.
    "communicationsConsent": False,
}

# One key for one lead: every attempt below sends the same one.
headers = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
# The version of the wording that the customer was told.
headers["Consent-Version"] = "{{wordingVersion}}"
body = json.dumps(lead).encode()

for attempt in (1, 2, 3):
    seconds = 2 * attempt
    try:
        with urlopen(Request("https://api.example.org/api/v1/leads", body, headers), timeout=20) as response:
            print("stored as", json.load(response)["id"])
            break
    except HTTPError as error:
        problem = json.load(error)
        if not problem["retryable"] or attempt == 3:
            print(problem["code"], problem["hint"], problem.get("errors", []))
            break
        seconds = int(error.headers.get("Retry-After", seconds))
    except OSError:
        # No answer: the lead may have been stored. The same key makes it safe to send it again.
        if attempt == 3:
            raise
    time.sleep(seconds)
