import json, random, time, uuid
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
# The version of the wording presented to the customer.
headers["Consent-Version"] = "{{wordingVersion}}"
body = json.dumps(lead).encode()

attempt, give_up = 0, time.monotonic() + 600
while True:
    status, seconds, answer = 0, "", {}
    try:
        with urlopen(Request("https://api.example.org/api/v1/leads", body, headers), timeout=20) as response:
            print("stored as", json.load(response)["id"])
            break
    except HTTPError as error:
        status, seconds = error.code, error.headers.get("Retry-After", "")
        try:
            answer = json.load(error)
        except ValueError:
            pass  # A proxy has answered.
    except (OSError, ValueError):
        pass  # No answer: the lead may have been stored. The same key makes it safe to send it again.
    # A 429 does not count as an attempt: others share your address. Ten minutes of it are enough.
    attempt += status != 429
    again = status in (0, 408, 429) or status >= 500
    if not again or attempt == 3 or time.monotonic() > give_up:
        print(answer.get("code", status or "no answer"), answer.get("hint", ""), answer.get("errors", []))
        break
    wait = int(seconds) if seconds.isdigit() else 2 * attempt
    time.sleep(wait + (random.uniform(0, 10) if status == 429 else 0))
