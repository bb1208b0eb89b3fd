/**
 * What callers read about a problem, by code (docs/specification.md §5). `title` is the same for every occurrence,
 * `detail` says what happened, and `hint` is the next step. Texts must be right for REST and RPC. `{{wordingPlace}}` is
 * where the reader finds the consent wording; `parts` below has the sentences that several hints share.
 */
export const problems = {
  malformed_json: {
    title: 'The body is not valid JSON',
    detail: 'The request body is not one well-formed JSON text in UTF-8.',
    hint: 'Build the body with a JSON library, or take quotes, backslashes and line breaks out of what you insert, and send one object in UTF-8. Usual causes: a comma before a closing brace, single or curly quotes, an unescaped quote or line break inside a string, TRUE, Yes or nothing as a value, a comment, or a body that was cut off. {{lead}}',
  },
  invalid_body: {
    title: 'The body is not a JSON object',
    detail: 'The request body is valid JSON, but not an object.',
    hint: 'Send one JSON object: no list, and no JSON inside a string. Several leads need several requests. {{lead}}',
  },
  credentials_not_accepted: {
    title: 'Credentials are not accepted',
    detail: 'The request carries credentials, and this API is anonymous.',
    hint: 'Remove the Authorization, Proxy-Authorization and X-API-Key headers, then send the request again. Its body was not read: /llms.txt has its fields.',
  },
  idempotency_key_invalid: {
    title: 'The idempotency key is not valid',
    detail: 'The idempotency key is not valid, or is a template that was not filled in.',
    hint: 'Send one idempotency key of 1 to 255 printable ASCII characters without spaces, such as a new UUID, or none.',
  },
  bad_request: {
    title: 'The request is not valid',
    detail: 'The request could not be understood as HTTP/1.1.',
    hint: 'Correct the request line (methods are GET, HEAD, POST and OPTIONS), the headers and the framing of the body, then send the request again.',
  },
  not_found: {
    title: 'There is nothing at this address',
    detail: 'No resource of this API has this path.',
    hint: 'Read /llms.txt; do not probe for other paths. Two things can be sent, both as JSON with POST {{leadsPath}}: a quote request, and a contact message (formType "support"). For anything else, give the customer {{contact}}.',
  },
  method_not_allowed: {
    title: 'This method is not allowed here',
    detail: 'The resource exists, but does not support this method.',
    hint: 'Use one of the methods in allowedMethods.',
  },
  request_timeout: {
    title: 'The request took too long to arrive',
    detail: 'The request was not complete within the time allowed. Nothing was stored.',
    hint: 'Wait two seconds. Then, on a new connection and in one go, {{tryThrice}}',
  },
  version_removed: {
    title: 'This version has been removed',
    detail: 'The path {{legacyPath}} has been removed.',
    hint: 'Leads go to POST {{leadsPath}} now, with the same body.',
  },
  body_too_large: {
    title: 'The body is too large',
    detail: 'The request body is larger than 20,000 bytes.',
    hint: 'Shorten notes or message: each takes at most 5,000 characters, and the whole body at most 20,000 bytes. No picture or file can be sent. Send characters as UTF-8, not as Unicode escapes.',
  },
  unsupported_media_type: {
    title: 'Unsupported content type',
    detail: 'Content-Type is not JSON in UTF-8.',
    hint: "Send one JSON object, with Content-Type: application/json. A quote takes exactly {{quoteStrings}} (non-empty strings; if unknown, ask, never guess) and, only after the customer's explicit yes to the wording in /llms.txt, communicationsConsent: true. /llms.txt has the rest.",
  },
  unsupported_content_encoding: {
    title: 'The content encoding is not supported',
    detail: 'The request body is encoded, and only the identity encoding is accepted.',
    hint: 'Send the body uncompressed: without a Content-Encoding header, and with no Transfer-Encoding except chunked.',
  },
  consent_required: {
    title: 'The lead does not state consent',
    detail: 'communicationsConsent is not the JSON value true.',
    hint: 'Do what errors says.',
  },
  validation_failed: {
    title: 'The submission has invalid fields',
    detail: 'One or more fields need attention.',
    hint: '{{correct}}',
  },
  test_lead_rejected: {
    title: 'Test or unassignable contact details are not accepted',
    detail: 'The contact details are reserved for tests or cannot be assigned.',
    hint: 'Send the correct contact details of a customer who asked to be contacted. There is no sandbox: to test, validate against the published schema, and send nothing.',
  },
  idempotency_key_reused: {
    title: 'The idempotency key was used for another submission',
    detail: 'The same idempotency key was already used with different content.',
    hint: 'This key was already used. For a different lead, use a new key. A stored lead cannot be changed here: do not send a change, and give the customer {{contact}}.',
  },
  rate_limited: {
    title: 'Too many submissions',
    detail: 'This client has reached its limit of submissions.',
    hint: 'Wait retryAfterSeconds plus a random time of up to ten seconds, then {{sendAgain}} After ten minutes of 429s, {{giveUp}} Refused submissions count against the limit too.',
  },
  header_fields_too_large: {
    title: 'The header fields are too large',
    detail: 'The header block of the request is larger than this service accepts.',
    hint: 'Send the request again with fewer and shorter headers. Only Content-Type and, optionally, Idempotency-Key are needed: no cookie and no credential.',
  },
  internal_error: {
    title: 'An unexpected error',
    detail: 'Something went wrong in the service.',
    hint: 'Wait two seconds, then {{tryThrice}} If you report the error, quote the value of instance.',
  },
  service_unavailable: {
    title: 'Leads cannot be accepted right now',
    detail: 'The service could not confirm in time that the lead was stored.',
    hint: '{{waitAndTry}}',
  },
  overloaded: {
    title: 'The service is overloaded',
    detail: 'More submissions are waiting than the service can handle. This one was not stored.',
    hint: '{{waitAndTry}}',
  },
  lead_not_found: {
    title: 'There is no such lead',
    detail: 'There is no lead with this id.',
    hint: 'Check the id against the receipt or against ListLeads.',
  },
  invalid_argument: {
    title: 'The request has invalid fields',
    detail: 'One or more fields of the request need attention.',
    hint: 'Correct every entry in errors, then send the request again.',
  },
  cursor_lost: {
    title: 'The cursor is not known to this database',
    detail: 'The entry of the cursor is missing here: the database is another one, or an older copy.',
    hint: 'Start again without the cursor and upsert every lead. Keep erased copies erased and opted-out copies opted out, and tell the operator which leads, erasures and opt-outs are missing here.',
  },
  failed_precondition: {
    title: 'This call is not possible in the current state',
    detail: 'The lead was erased earlier, so it is unknown whose it was. Record the opt-out with RecordOptOut.',
    hint: 'Call RecordOptOut with the phone number or e-mail address of the person.',
  },
  permission_denied: {
    title: 'This caller may not do that',
    detail: 'The role of this caller does not include this call.',
    hint: 'Call with a certificate that has the role, or ask the operator to add the role in INTERNAL_CALLERS.',
  },
  inbox_unavailable: {
    title: 'The leads cannot be read or changed right now',
    detail: 'The database cannot be read right now.',
    hint: 'Wait retryAfterSeconds, then call again; give WatchLeads the cursor of the last lead that you handled.',
  },
  deadline_exceeded: {
    title: 'The deadline has passed',
    detail: 'The deadline of the caller passed before the outcome was known. The operation may have been completed.',
    hint: 'Send the same request again, unchanged, with a longer deadline: a lead is recognized while its key is kept, and erasures and opt-outs are safe to repeat.',
  },
  call_canceled: {
    title: 'The caller canceled the call',
    detail: 'The caller disconnected before the response. The operation may have been completed.',
    hint: 'If you still need the outcome, send the same request again, unchanged.',
  },
  browser_refused: {
    title: 'Browsers are refused here',
    detail: 'The request comes from a browser, and this listener serves programs only.',
    hint: 'Call from a program on the server. Website forms post to {{leadsPath}} of the public API.',
  },
  content_type_refused: {
    title: 'This method does not take the content type',
    detail:
      'The method takes one message, as application/json, application/proto, application/grpc or application/grpc-web.',
    hint: 'Send one of these in the header Content-Type. Without a library, application/json is the simplest.',
  },
} as const

export const parts = {
  sendAgain: 'send the same request again, unchanged, with the same key if it had one: the key prevents a second lead.',
  giveUp: 'stop, tell the customer that the request may not have arrived, and give them {{contact}}.',
  tryThrice: '{{sendAgain}} After three attempts, {{giveUp}}',
  waitAndTry: 'Wait retryAfterSeconds, then {{tryThrice}}',
  correct:
    'Follow the hint of every entry in errors, then send the corrected lead; keep its key only if no other lead was sent with it. Send no access codes or payment data, and nothing at all if a hint says so, to cancel or change a visit, or if the phone number is from outside +1, even if its country code is missing. In those cases, and after three attempts, stop, tell the customer that it failed, and give them {{contact}}.',
  lead: 'A quote request is one flat object with the strings {{quoteStrings}} and, only after the customer\'s explicit yes to the wording, communicationsConsent: true (a checked box counts only next to the wording). The wording is {{wordingPlace}}. A contact message has formType "support" and the strings {{messageFields}}. All are required and not empty, and there are no other members. If a value is unknown, ask; never make one up. With nothing to add, send "No further details" as notes. A date, address or language goes into notes or message; access codes and payment data nowhere. `phone` is one number of ten digits from the U.S., Canada or another +1 country, and `email` one bare address: of two, ask which. Counts are numerals such as "2.5", and a studio is "0". If the customer refuses calls, texts or e-mail, send no quote request; send a message instead only with helpWith "Opt out" or "E-mail only". If the phone number is from any other country, even if it has ten digits and no country code, send nothing. In these cases, if you cannot send a POST, or if they want to cancel or change a request or visit, to be forgotten (unless with an opt-out), or to ask about one, give the customer {{contact}}.',
  posting:
    'POST one JSON object to links.leads. Send no test leads. The response is a receipt, not a price or a booking. If there is no response, send the identical body again, with the same Idempotency-Key if you sent one. {{lead}}',
} as const

/** Where the reader of an error finds the consent wording. Over RPC, an error has only its address. */
export const wordingPlaces = {
  rest: '`consent.wording` here (or a full translation; send `consent.version` in the header Consent-Version)',
  rpc: 'at `consent.url` in this response',
} as const

/** Why a body is not valid JSON: `{{cause}}` of `not_json`. */
export const jsonCauses = {
  empty: 'it is empty, or ends too early',
  form: 'it is form data, as a web form or a library sends it by default',
  prose: 'there is text before the object, such as a Markdown fence (```): leave it out',
  several: 'there is another object after the first: each lead needs a request of its own',
  repeated: 'a member name occurs twice in one object; send each once',
  character:
    'a value must be a string in double quotes, a number, true, false, null, { or [, and nothing may follow the object',
  parser: 'the parser says: {{message}}',
} as const

/** What happened to a particular request. */
export const details = {
  not_json: 'The body is not valid JSON: {{cause}}.',
  not_utf8: 'The body is not UTF-8, but perhaps UTF-16 or Latin-1.',
  cut_off: 'The connection closed before the body was complete.',
  limit: 'The {{limit}} submissions per {{windowSeconds}} seconds are used up for {{resetSeconds}} more seconds.',
  method: '{{method}} is not allowed here. Allowed: {{allow}}.',
  dry_run: 'The request asks for a dry run. There is none, and nothing was stored.',
  no_service: 'There is no such service.',
  no_role: 'The caller {{caller}} does not have the role {{role}}.',
  no_lead: 'The request has no lead.',
  no_target: 'The target is neither a path nor an http or https URL.',
  one_host: 'The request must have one Host header: a host, optionally with a port.',
  of_browser: 'The request has an Origin or Sec-Fetch-Site header, as browser requests do.',
  get_of_page: 'The request is a GET, which a web page could send. Send it as a POST.',
  foreign_host: 'The Host header does not name this machine. Call localhost, 127.0.0.1 or [::1].',
  streams_full: 'This replica already serves its maximum of 250 streams.',
  stopping: 'The service is stopping. Connect again.',
  not_confirmed: 'The database did not confirm the change, which may have been made. It is safe to repeat.',
  stream_types:
    'The method streams messages, as application/connect+json, application/connect+proto, application/grpc or application/grpc-web.',
} as const

/** What to do after a particular request. */
export const hints = {
  utf8: 'Encode the body as UTF-8: no other encoding can be read.',
  submit:
    'Leads are sent with POST; this API cannot read, change or delete them. To send a new one, POST it with the header Content-Type: application/json to {{leadsPath}}. {{lead}}',
  stored:
    'Leads are sent with POST; this API cannot read, change or delete them. After a 200 or 201 a lead is stored: do not send it again. To ask about, change, cancel or erase one, give the customer {{contact}}. To withdraw consent or opt out, the customer can also, with both phone and e-mail, send a message (formType "support") with helpWith "Opt out". To send a new lead, POST it with the header Content-Type: application/json to {{leadsPath}}.',
  post: 'If the body has exactly the fields below, POST it with the header Content-Type: application/json to {{leadsPath}}; otherwise build one that does. {{lead}} There is nothing else to post: no registration, token, GraphQL, RPC or MCP.',
  key_template: 'Send a new UUID for each lead, or no key: with this template, every lead would have the same one.',
  perhaps_test:
    'If this is a test, send nothing: there is no sandbox; validate against the published schema. If not, {{fields}} must be real.',
  send_real:
    'To check a lead, validate it against /openapi.json, and send nothing. If a customer wants it sent, remove that option: every lead is real.',
  ask_reflection: 'Ask server reflection for the services and methods, for example with `buf curl --list-methods`.',
  stream_frames:
    'Send application/connect+json: one zero byte, the message length in four bytes (big-endian), then the JSON. docs/inbox.md has an example without a library.',
} as const
