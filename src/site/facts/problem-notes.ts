import type { ProblemCode } from '../../problem/table.ts'

/** What a problem's page says beyond the problem table; each text may have `code` and [links](/path) in it. */
export interface ProblemNote {
  /** Why a caller meets it. */
  why: string
  /** What to do, step by step. */
  steps: readonly string[]
}

const unchanged =
  'Send the same request again, unchanged. With the same `Idempotency-Key`, or with the same content, it can make no second lead.'

/** What to do about each problem. */
export const problemNotes = {
  malformed_json: {
    why: 'The body could not be read as JSON: a syntax error, bytes that are not UTF-8, or a member name that occurs twice. A repeated member is refused because the two values could differ, and consent must not depend on which one a parser keeps.',
    steps: [
      'Build the body with a JSON library rather than by joining strings.',
      'Encode it as UTF-8.',
      'Write each member once.',
    ],
  },
  invalid_body: {
    why: 'The body is JSON, but an array, a string, a number, `true`, `false` or `null`. A lead is one object. Several leads need several requests.',
    steps: ['Send one object with the fields of [one kind of lead](/api-docs#submit).'],
  },
  credentials_not_accepted: {
    why: 'The request has an `Authorization`, `Proxy-Authorization` or `X-API-Key` header. There is nothing to authenticate against: no account, no key and no token exists. The value was not read and is in no log.',
    steps: [
      'Remove the header. Look for a default that your HTTP client or proxy adds.',
      'Treat a real credential that you sent to the wrong service as disclosed, and replace it.',
    ],
  },
  idempotency_key_invalid: {
    why: 'The `Idempotency-Key` header is empty, longer than 255 characters, has unbalanced quotes or characters outside printable ASCII, or came twice.',
    steps: ['Send one key in double quotes, for example a UUID.', 'Or leave the header out: it is optional.'],
  },
  bad_request: {
    why: 'The request is not well-formed HTTP/1.1: its request line, a header, or the framing of its body. HTTP clients do not make such requests by themselves.',
    steps: [
      'Let your HTTP library write the request line, `Host` and `Content-Length`.',
      'Look for a proxy that changes requests on their way.',
    ],
  },
  not_found: {
    why: 'Nothing has this path. Paths are compared exactly: a slash at the end or a doubled slash is another path. There are no registration, account, token or sandbox addresses.',
    steps: [
      'Compare the path with the [API reference](/api-docs#endpoints).',
      'Do not probe for other paths: the [API catalog](/.well-known/api-catalog) lists everything there is.',
    ],
  },
  method_not_allowed: {
    why: 'The path exists, but not with this method. Leads are sent with `POST`; everything else is read with `GET` or `HEAD`.',
    steps: ['Use one of the methods in the `Allow` header of the answer.'],
  },
  request_timeout: {
    why: 'The request began, but its headers or its body did not arrive in time. Nothing was stored.',
    steps: ['Open a new connection.', 'Send the whole request at once. It is at most 20,000 bytes.'],
  },
  version_removed: {
    why: 'The deprecated alias `/api/leads` reached its announced removal date. The notice was at least 365 days.',
    steps: ['Send the same body to `/api/v1/leads`, which the `Link` header names as `successor-version`.'],
  },
  body_too_large: {
    why: 'The body has more than 20,000 bytes. Bytes count, not characters: a letter with an accent is two bytes, an emoji is four.',
    steps: [
      'Shorten `notes` or `message`, each of which takes at most 5,000 characters.',
      'Remove white space between the members.',
    ],
  },
  unsupported_media_type: {
    why: 'The `Content-Type` header is missing, is not `application/json`, or names a charset other than UTF-8. Form encodings are not taken.',
    steps: ['Send the header `Content-Type: application/json`, and JSON in the body.'],
  },
  unsupported_content_encoding: {
    why: 'The body came with a `Content-Encoding`. Compressed bodies are not taken.',
    steps: ['Send the body as it is, without a `Content-Encoding` header.'],
  },
  consent_required: {
    why: 'A quote request must have `communicationsConsent` with the JSON value `true`. Another value, such as `"true"` or `1`, or no value at all, is no consent. Every other field at fault is in `errors` as well.',
    steps: [
      'Show the customer the [consent wording](/terms#consent).',
      'Send `true` only when the customer agreed to it. Never fill it in on their behalf.',
      'If the customer does not agree, send nothing.',
    ],
  },
  validation_failed: {
    why: 'One or more fields are missing, unknown, or have a value that their rule refuses. `errors` lists all of them at once, so one correction is enough.',
    steps: [
      'Read each entry of `errors`: `pointer` names the field, `hint` says what to send.',
      'Ask the customer where information is missing. Do not invent it.',
      'Send the corrected lead once. The same `Idempotency-Key` may be used, since nothing was stored.',
    ],
  },
  test_lead_rejected: {
    why: 'The e-mail address or the phone number is set aside for tests and fiction, or cannot be assigned to anyone. There is no sandbox, and test leads must not be submitted: people at the business read every lead.',
    steps: [
      'Send only the details of a real customer who asked to be contacted.',
      'Check your integration against the [OpenAPI description](/openapi.json) instead of with invented leads.',
    ],
  },
  idempotency_key_reused: {
    why: 'The same `Idempotency-Key` came before with another content. Nothing of the earlier submission is disclosed.',
    steps: [
      'For another lead, make another key.',
      'To repeat a submission, send exactly the content that the key had first.',
    ],
  },
  rate_limited: {
    why: 'This client has used up its submissions for the window. Every `POST` to either lead path counts, valid or not, and all clients behind one address share one budget.',
    steps: [
      'Wait for the seconds in `Retry-After`.',
      'Send the submission once. Do not retry in a loop before that: refused attempts do not help.',
    ],
  },
  header_fields_too_large: {
    why: 'The header block of the request is too large to be read. It is usually cookies or a token, and this service needs neither.',
    steps: ['Send only `Content-Type` and, if you like, `Idempotency-Key`.'],
  },
  internal_error: {
    why: 'Something failed that should not. The failure is in the log of the business under the id in `instance`.',
    steps: ['Wait a few seconds.', unchanged, 'If it persists, report the value of `instance`.'],
  },
  service_unavailable: {
    why: 'The lead could not be confirmed as stored in time. It may have been stored or not; a repeated lead is recognised either way.',
    steps: ['Wait for the seconds in `Retry-After`.', unchanged],
  },
  overloaded: {
    why: 'More submissions are waiting than the service can take. This one was not stored.',
    steps: ['Wait for the seconds in `Retry-After`.', unchanged],
  },
} as const satisfies Record<ProblemCode, ProblemNote>
