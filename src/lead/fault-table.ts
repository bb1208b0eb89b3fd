import { consentHint } from './wording.ts'

interface FaultRow {
  /** What is wrong. Completes a sentence that starts with the field's name. */
  detail: string
  /** The next step, in the imperative. `{{contact}}` stands for the business's number and address. */
  hint: string
}

/** What to do with a member that is no field. `place` takes what the customer said. */
export const unknownHint = (place: string) =>
  `Remove the member, unless it refuses or limits calls, texts or e-mail, or names a country (code) outside +1: then send nothing. Any other detail goes into ${place}.`

/** All codes of `errors` (docs/specification.md §5). A field's `fault` option in the proto file overrides the texts. */
export const faultTable = {
  required: { detail: 'is required', hint: "Send a non-empty string; ask the customer if you don't know it." },
  invalid_type: { detail: 'must be a string', hint: "Send a string; ask the customer if you don't know it." },
  invalid_value: {
    detail: 'must be "quote" or "support"',
    hint: 'Leave formType out for a quote request, or send "support" for a contact message. To change, cancel or withdraw, send nothing: give the customer {{contact}}.',
  },
  too_long: { detail: 'is too long', hint: 'Shorten the text.' },
  invalid_phone: {
    detail: "must be ten digits, a U.S. number or another of the North American plan (+1), such as Canada's",
    hint: 'Send ten digits; never leave out another country code. An extension goes into notes or message. If the customer has no such number, send nothing, and give them {{contact}}.',
  },
  invalid_email: {
    detail: 'must be one e-mail address',
    hint: 'Send one address without a name or angle brackets; if it is misspelled, ask the customer for the address; never correct it yourself.',
  },
  invalid_count: { detail: 'must be a number of rooms, as text', hint: 'Send a string such as "3", "2.5" or "5+".' },
  invalid_date_time: {
    detail: 'must be an RFC 3339 date-time in UTC, not more than five minutes in the future',
    hint: 'Send the time of consent in UTC, ending in "Z", or leave the field out.',
  },
  invalid_url: {
    detail: 'must be an absolute http or https URL',
    hint: 'Send the full address, or leave the field out.',
  },
  payment_card: {
    detail: 'contains what looks like the number of a payment card',
    hint: 'Remove the card number. Card data, passwords and access codes (door, alarm) must never be sent here, however they are written. Only a number that is something else may stay, with its name before it, such as "order number".',
  },
  unknown_field: {
    detail: 'is not a field of this kind of lead',
    hint: unknownHint('notes (quote request) or message (contact message)'),
  },
  consent_required: { detail: 'must be the JSON value true', hint: consentHint },
  reserved_domain: {
    detail: 'uses a domain that is reserved for tests and examples (RFC 2606, RFC 6761)',
    hint: "Send the customer's real e-mail address. Test leads must not be submitted.",
  },
  reserved_phone: {
    detail: 'is one of the numbers 555-0100 to 555-0199 that are reserved for fiction',
    hint: "Send the customer's real phone number. Test leads must not be submitted.",
  },
  unassignable_phone: {
    detail: 'cannot be assigned in the North American Numbering Plan',
    hint: 'Check the number with the customer: neither the area code nor the next three digits begin with 0 or 1 or are N11, and no area code is 555 or has a 9 in the middle. Never leave out another country code: if the customer has only such a number, send nothing, and give them {{contact}}.',
  },
  placeholder: {
    detail: 'is a placeholder that was not filled in',
    hint: 'Replace it with what the customer told you; if a program fills it in, check its mapping. Test leads must not be submitted.',
  },
} as const satisfies Record<string, FaultRow>

/** What to do about faults of fields. */
export const correctionHint =
  'Do what the hint of every entry of errors says, then send the corrected lead; the same key may be used. Send nothing if a hint says so, or if the phone number is from outside +1, even if its country code was left out. Then, and after three attempts, stop, tell the customer, and give them {{contact}}.'

/** Every fault code, in the order of the table. */
export const faultCodes = Object.keys(faultTable) as (keyof typeof faultTable)[]
