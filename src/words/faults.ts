/**
 * What callers read about a field at fault, by the code in `errors` (docs/specification.md §5). `detail` completes a
 * sentence that starts with the field's name; `hint` says what to do next, unless a field or a mistake has its own.
 * `{{contact}}` is the phone number and e-mail address of the business, `{{freeText}}` is `notes` or `message`.
 */
export const faults = {
  required: { detail: 'is required', hint: 'Send a non-empty string; if unknown, ask the customer.' },
  invalid_type: { detail: 'must be a string', hint: 'Send a string; if unknown, ask the customer.' },
  invalid_value: {
    detail: 'must be "quote" or "support"',
    hint: 'Leave formType out for a quote, or send "support" for a message. To change or cancel a request, send nothing: give the customer {{contact}}.',
  },
  too_long: { detail: 'must have at most {{max}} characters', hint: 'Shorten it to {{max}} characters.' },
  invalid_phone: {
    detail: 'must be a ten-digit number in the U.S., Canada or another +1 country',
    hint: 'Send the ten digits of one number, and no words; if digits are missing, ask the customer. Never drop a country code other than +1. If the customer has no +1 number, send nothing, and give them {{contact}}.',
  },
  invalid_email: {
    detail: 'must be one e-mail address',
    hint: 'Send one address of the form "NAME@DOMAIN", without a display name or angle brackets. If it is misspelled, ask for the address; never correct it yourself.',
  },
  invalid_count: {
    detail: 'must be a string with a count from 0 to 99 in digits',
    hint: 'Send a string such as "3", "2.5" (two full baths and one half), "5+", or "0" for a studio; if unknown, or with another fraction, ask the customer; their estimate will do. Never choose between two numbers. Two homes are two leads.',
  },
  invalid_date_time: {
    detail: 'must be a valid RFC 3339 date-time in UTC, at most five minutes in the future',
    hint: 'Leave the field out unless you know the exact time in UTC; then send it, ending in "Z".',
  },
  invalid_url: {
    detail: 'must be an absolute http or https URL without user information',
    hint: 'Send the full address, or leave the field out.',
  },
  payment_card: {
    detail: 'contains what looks like the number of a payment card',
    hint: 'Remove the card number. Card data, passwords and access codes (door, alarm) must never be sent here, however they are written. If the customer says that it is not a card number, keep it with a label before it, such as "order number".',
  },
  unknown_field: {
    detail: 'is not a field of this kind of lead',
    hint: "Unknown field: move the customer's words to the right field or {{freeText}}, and leave the rest out, or blank.",
  },
  consent_required: {
    detail: 'must be the JSON value true, not a string',
    hint: 'Tell the customer the wording, {{wordingPlace}}. Send `true` only after their explicit yes to it. Silence is not consent; neither is "whatever", nor a checked box or a TRUE without this wording. If they refuse or do not answer, send no quote request, but give them {{contact}}, and a message only with helpWith "Opt out" or "E-mail only".',
  },
  reserved_domain: {
    detail: 'uses a domain that is reserved for tests and examples (RFC 2606, RFC 6761)',
    hint: "Send the customer's correct e-mail address. Test leads must not be submitted.",
  },
  reserved_phone: {
    detail: 'is one of the numbers 555-0100 to 555-0199 that are reserved for fiction',
    hint: "Send the customer's correct phone number. Test leads must not be submitted.",
  },
  unassignable_phone: {
    detail: 'cannot be assigned in the North American Numbering Plan',
    hint: 'Check the number with the customer: except in toll-free numbers, the area code and the next three digits begin with 2-9 and do not end in 11; an area code is never 555 and never has 9 in the middle. Never drop a country code other than +1: if the customer has only a number with such a code, send nothing, and give them {{contact}}.',
  },
  placeholder: {
    detail: 'is a placeholder that was not filled in',
    hint: 'Replace it with what the customer told you, or ask them; if a program fills it in, check its mapping. Test leads must not be submitted.',
  },
} as const

/** What to send. The proto file names these by `(fault).send`. */
export const sendHints = {
  name: "Send the customer's name as a string; if unknown, ask the customer.",
  phone:
    'Send the ten-digit number as a string of the form "NNN-NNN-NNNN"; if unknown, ask the customer. If they have none, or only one outside +1 (never drop its country code), send nothing, and give them {{contact}}.',
  email:
    'Send one address as a string; if unknown, ask the customer. If they have none, send nothing, and give them {{contact}}.',
  bedrooms:
    'Send a string such as "3" ("0" for a studio, "2.5", or "5+" for five or more); if unknown, ask the customer; their estimate will do.',
  bathrooms: 'Send a string such as "2", "1.5" or "4+"; if unknown, ask the customer; their estimate will do.',
  service:
    'Send the kind of cleaning as a string such as "deep cleaning"; if unknown, ask the customer; if they named none, "Not decided".',
  notes:
    'Send what the customer says about the home as a string, without access codes and payment data, or "No further details"; if unknown, ask the customer.',
  consent_time: 'Send a string of the form "YYYY-MM-DDTHH:MM:SSZ", a time in UTC, or leave the field out.',
  page_url: 'Send the page\'s full address as a string of the form "https://HOST/PATH", or leave the field out.',
  topic: 'Send the topic as a string such as "question about products"; if unknown, ask the customer.',
  message:
    'Send what the customer wants to say as a string, without access codes and payment data; if unknown, ask the customer.',
} as const

/** Hints for common mistakes. The service corrects none of them: the customer must be asked. */
export const mistakeHints = {
  phone_seven_digits: 'The number has seven digits: ask for the area code; never guess it.',
  phone_from_sheet: 'A spreadsheet changed the number: export the column as text, or ask the customer for it.',
  count_from_sheet: 'A spreadsheet made a date of the number: ask the customer; never guess it.',
  phone_foreign:
    "Never drop a country code other than +1: without it, the number may be somebody else's. A number with such a code is not accepted. Ask for a U.S., Canadian or other +1 number. If the customer has none, send nothing, and give them {{contact}}.",
  phone_words: 'Send the ten digits alone: put the extension or the words into {{freeText}}.',
  phone_letters: 'Letters are in the place of digits, such as O for 0: ask the customer for the ten digits.',
  list_of_texts:
    'Send one string, not a list. Join several services or sentences with commas; of several contacts or counts, ask the customer which; never choose. Leave out access codes and payment data.',
  phone_two: 'There are two numbers: ask the customer which; never choose. The other may go into {{freeText}}.',
  email_two: 'There are two addresses: ask the customer which; never choose. The other may go into {{freeText}}.',
  email_not_ascii:
    'The address has letters outside ASCII: ask the customer for another address, or send the domain in its ASCII form (xn--…) if only the domain has them.',
  email_spoken:
    'The address is written as it was spoken. Write @ for "at", . for "dot", - for "dash" and _ for "underscore", join letters that were spelled out, and read it back to the customer before you send it.',
  email_signs:
    'The @ is missing or not followed by a domain name, or a space or dot is wrong: ask the customer for the address, and read it back if it was spoken; never correct it yourself.',
} as const

/** Hints about members that are unknown, misnamed or in the wrong place. */
export const memberHints = {
  rename: 'Rename this member to `{{field}}`.',
  rename_consent_time:
    'Leave it out, unless it is the time of their yes to the current wording; then name it `consentTimestamp`.',
  rename_consent:
    "Rename to `communicationsConsent`, and send the JSON value true (not a string) only after the customer's explicit yes to the wording. Without it, send no quote request.",
  consent_refused:
    'If the customer refuses calls, texts or e-mail, send no quote request, but give them {{contact}}, or send a message with helpWith "Opt out" or "E-mail only"; otherwise, remove the member.',
  consent_elsewhere:
    'Remove the member, or send null: consent is `communicationsConsent` of a quote request, and nothing else.',
  name_part: 'The name is one field: join its parts into `name`.',
  header: 'This is a header: send it as `{{header}}`, not in the body.',
  about_stored:
    'To ask about, change, cancel or erase a request or visit, send nothing: give the customer {{contact}}. To withdraw consent or opt out, the customer can also, with both phone and e-mail, send a message with helpWith "Opt out". Otherwise, remove the member, and put what the customer said into {{freeText}}.',
  object: 'Move these members to the top level, where the fields belong. Several leads need several requests.',
  build:
    'Build one flat object from the names and values at this path and what stands outside, and send it alone, as the whole body. Several leads need several requests.',
  inner:
    'Send the object at this path alone, as the whole body (not its text), and move into it what belongs to it and stands outside, such as `communicationsConsent`. Several leads need several requests.',
  without_contact: 'Send nothing, and do not ask for it: to cancel or opt out, give the customer {{contact}}.',
  secret: 'Leave it out. Access codes, passwords and payment data must not be sent here.',
  file: 'Leave it out: no picture or file can be sent. Put what the customer said about it into {{freeText}}.',
  choose_lead: 'Set one of the two, with its fields.',
} as const

/** Hints about the kind of lead. `{{messageFields}}` and `{{quoteFields}}` name the required fields. */
export const kindHints = {
  other_value: '{{formType}} A message has only the fields {{messageFields}}. A quote request needs {{quoteFields}}.',
  missing:
    'Send formType "support", and only {{messageFields}}. If a quote was meant, send the fields in /llms.txt, after the explicit yes that it asks for.',
  not_quote:
    'If a message was meant, and no quote request, send formType "support" and only these fields: {{messageFields}}, and ignore errors. Otherwise: {{correct}}',
  not_message: 'The body was read as a message; if a quote was meant, leave formType out. {{correct}}',
} as const

export const memberDetails = {
  quote: 'is not a field of a quote request',
  support: 'is not a field of a contact message',
  consent: 'is required: the JSON value true',
  consent_false: 'is false: the customer has not said yes',
  kind_of_message: 'is required for a contact message',
  inner: 'is too deeply nested: a lead is the whole body',
  lead: 'must be a quote_request or a contact_message',
} as const

/** About the origin of a lead, and the wording presented to the customer. */
export const originFaults = {
  client_address: {
    detail: 'must be an IPv4 or IPv6 address',
    hint: 'Send the customer\'s IP address, such as "203.0.113.9", without a port, or leave it out.',
  },
  consent_version: {
    detail: 'names a version of the consent wording that this service never had',
    hint: 'If a mapping left this unfilled, fill it in. Otherwise, tell the customer the current wording. Only after their explicit yes to it, send `consent.version` instead. The wording is {{wordingPlace}}.',
  },
} as const
