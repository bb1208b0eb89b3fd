import { correctionHint } from '../lead/fault-table.ts'
import { leadShape } from '../lead/rules.ts'
import { aliasPath, leadsPath } from '../public-paths.ts'

/** Whether and when the caller may send the request again. */
export type Retry = 'never' | 'after_correction' | 'after_wait'

export interface ProblemRow {
  /** HTTP status. Null: only occurs in RPC. */
  status: number | null
  /** The name of the Connect code. Null: has no counterpart in RPC. */
  connect: string | null
  retry: Retry
  /** Whether the same request, unchanged, can succeed later. Follows from `retry`. */
  retryable: boolean
  /** The same for every occurrence (RFC 9457 §3.1.3). */
  title: string
  /** What happened, unless an occurrence has its own text. */
  detail: string
  /**
   * The next step, in the imperative, for programs and people. Must be correct for both REST and RPC. `{{contact}}`
   * stands for the business's phone number and e-mail address.
   */
  hint: string
  /** Whether the hint refers to `consent.wording`, so that the problem has it. */
  showsWording?: true
  /** Of a 5xx: the service refuses on purpose, so it does not miss the objective of stored leads, and pages nobody. */
  planned?: true
}

/** A row as it is written below. */
type Row = Omit<ProblemRow, 'status' | 'connect' | 'retryable'> & { status?: number; connect?: string }

/** What to do after the wait, the same for every problem that a wait may end. */
const sendAgain = 'send the same request again, unchanged and with the same key; a repeated lead is recognized.'
const giveUp = 'stop, tell the customer, and give them {{contact}}.'
const tryThrice = `${sendAgain} After three attempts, ${giveUp}`

/** How long to wait before the next attempt if the error itself does not say. */
export const retryAfterDefaultSeconds = 2

/** The public contract (docs/specification.md §5). A released code never changes its meaning. */
const publicRows = {
  malformed_json: {
    status: 400,
    connect: 'invalid_argument',
    retry: 'after_correction',
    title: 'The body is not valid JSON',
    detail: 'The request body is not one well-formed JSON text in UTF-8.',
    hint: `Build the body with a JSON library and send one object in UTF-8. Usual causes: a comma before a closing brace, single or curly quotes, a quote or line break inside a text that is not escaped, a comment, or a body that was cut off. ${leadShape}`,
    showsWording: true,
  },
  invalid_body: {
    status: 400,
    connect: 'invalid_argument',
    retry: 'after_correction',
    title: 'The body is not a JSON object',
    detail: 'The request body is valid JSON, but not an object.',
    hint: `Send one JSON object: no list, and no JSON inside a string. Several leads need several requests. ${leadShape}`,
    showsWording: true,
  },
  credentials_not_accepted: {
    status: 400,
    connect: 'invalid_argument',
    retry: 'after_correction',
    title: 'Credentials are not accepted',
    detail: 'The request carries credentials, and this API is anonymous.',
    hint: 'Remove the Authorization, Proxy-Authorization and X-API-Key headers, then send the request again. Its body was not read.',
  },
  idempotency_key_invalid: {
    status: 400,
    connect: 'invalid_argument',
    retry: 'after_correction',
    title: 'The idempotency key is not valid',
    detail: 'The idempotency key is not one string of 1 to 255 printable ASCII characters.',
    hint: 'Send one key of 1 to 255 printable ASCII characters, such as a new UUID, with or without double quotes, or send none.',
  },
  bad_request: {
    status: 400,
    connect: 'invalid_argument',
    retry: 'after_correction',
    title: 'The request is not valid HTTP',
    detail: 'The request could not be understood as HTTP/1.1.',
    hint: 'Correct the request line (methods are GET, HEAD, POST and OPTIONS), the headers and the framing of the body, then send the request again.',
  },
  not_found: {
    status: 404,
    connect: 'unimplemented',
    retry: 'never',
    title: 'There is nothing at this address',
    detail: 'No resource of this API has this path.',
    hint: `Read /llms.txt; do not probe for other paths. Two things can be sent, both as JSON with POST ${leadsPath}: a quote request, and a contact message (formType "support"). For anything else, give the customer {{contact}}.`,
  },
  method_not_allowed: {
    status: 405,
    retry: 'after_correction',
    title: 'This method is not allowed here',
    detail: 'The resource exists, but does not support this method.',
    hint: 'Use one of the methods in allowedMethods.',
  },
  request_timeout: {
    status: 408,
    retry: 'after_wait',
    title: 'The request took too long to arrive',
    detail: 'The request was not complete within the time allowed. Nothing was stored.',
    hint: `Wait two seconds, then on a new connection, without pauses, ${tryThrice}`,
  },
  version_removed: {
    status: 410,
    retry: 'never',
    title: 'This version has been removed',
    detail: `The alias ${aliasPath} has been removed.`,
    hint: `Leads go to POST ${leadsPath} now, with the same body.`,
  },
  body_too_large: {
    status: 413,
    connect: 'resource_exhausted',
    retry: 'after_correction',
    title: 'The body is too large',
    detail: 'The request body is larger than 20,000 bytes.',
    hint: 'Shorten notes or message: each takes at most 5,000 characters, and the whole body at most 20,000 bytes.',
  },
  unsupported_media_type: {
    status: 415,
    retry: 'after_correction',
    title: 'The content type is not application/json in UTF-8',
    detail: 'The Content-Type header is missing or is not application/json.',
    hint: `${leadShape} Send it as a JSON body with the header Content-Type: application/json.`,
    showsWording: true,
  },
  unsupported_content_encoding: {
    status: 415,
    retry: 'after_correction',
    title: 'The content encoding is not supported',
    detail: 'The request body is encoded, and only the identity encoding is accepted.',
    hint: 'Send the body uncompressed: without a Content-Encoding header, and with no Transfer-Encoding but chunked.',
  },
  consent_required: {
    status: 422,
    connect: 'failed_precondition',
    retry: 'after_correction',
    title: 'Consent was not given',
    detail: 'communicationsConsent is not the JSON value true.',
    hint: "Nothing else is wrong with the lead. After the customer's explicit yes, send it again with `communicationsConsent: true`; otherwise send nothing, not even a message, and give them {{contact}}. The wording is `consent.wording` of this answer.",
    showsWording: true,
  },
  validation_failed: {
    status: 422,
    connect: 'invalid_argument',
    retry: 'after_correction',
    title: 'The submission has invalid fields',
    detail: 'One or more fields need attention.',
    hint: correctionHint,
  },
  test_lead_rejected: {
    status: 422,
    connect: 'failed_precondition',
    retry: 'after_correction',
    title: 'Test data is not accepted',
    detail: 'The contact details are reserved for tests or cannot belong to anyone.',
    hint: 'Send the real contact details of a customer who asked to be contacted. There is no sandbox: to test, validate against the published schema, and send nothing.',
  },
  idempotency_key_reused: {
    status: 422,
    connect: 'failed_precondition',
    retry: 'after_correction',
    title: 'The idempotency key was used for another submission',
    detail: 'The same key was already used with different content.',
    hint: 'This key belongs to a lead that is stored. Is this another lead? Send it with a new key. Is it a change to the stored one? Do not send it: a stored lead cannot be changed here; give the customer {{contact}}.',
  },
  rate_limited: {
    status: 429,
    connect: 'resource_exhausted',
    retry: 'after_wait',
    title: 'Too many submissions',
    detail: 'This client has reached its limit of submissions.',
    hint: `Wait retryAfterSeconds and a random part of up to ten seconds, then ${sendAgain} A 429 is no attempt: it does not count toward the three. After ten minutes of it, ${giveUp} Refused submissions count against the limit too.`,
  },
  header_fields_too_large: {
    status: 431,
    retry: 'after_correction',
    title: 'The header fields are too large',
    detail: 'The header block of the request is larger than this service accepts.',
    hint: 'Send the request again with fewer and shorter headers. Only Content-Type and, optionally, Idempotency-Key are needed: no cookie and no credential.',
  },
  internal_error: {
    status: 500,
    connect: 'internal',
    retry: 'after_wait',
    title: 'An unexpected error',
    detail: 'Something went wrong in the service.',
    hint: `Wait two seconds, then ${tryThrice} Report the value of instance.`,
  },
  service_unavailable: {
    status: 503,
    connect: 'unavailable',
    retry: 'after_wait',
    title: 'Leads cannot be accepted right now',
    detail: 'The lead could not be confirmed as stored in time.',
    hint: `Wait retryAfterSeconds, then ${tryThrice}`,
  },
  overloaded: {
    status: 503,
    connect: 'unavailable',
    retry: 'after_wait',
    title: 'The service is overloaded',
    detail: 'More submissions are waiting than the service can handle. This one was not stored.',
    hint: `Wait retryAfterSeconds, then ${tryThrice}`,
  },
} satisfies Record<string, Row & { status: number }>

/** Problems that only occur on the internal listener. They are not part of the public contract. */
const internalRows = {
  lead_not_found: {
    connect: 'not_found',
    retry: 'never',
    title: 'There is no such lead',
    detail: 'There is no lead with this id.',
    hint: 'Check the id against the receipt or against ListLeads.',
  },
  invalid_argument: {
    connect: 'invalid_argument',
    retry: 'after_correction',
    title: 'The request has invalid fields',
    detail: 'One or more fields of the request need attention.',
    hint: 'Correct every entry of errors, then send the request again.',
  },
  cursor_lost: {
    connect: 'out_of_range',
    retry: 'after_correction',
    title: 'The cursor is not known to this database',
    detail:
      'This database does not have the entry that the cursor points to: it was restored from an older backup, or it is a different database.',
    hint: 'Start again without the cursor and upsert every lead. Keep erased copies erased and opted-out copies opted out, and report the leads, erasures and opt-outs that the service lacks.',
  },
  failed_precondition: {
    connect: 'failed_precondition',
    retry: 'never',
    title: 'The service is not in a state for this call',
    detail: 'Something that this call needs is missing.',
    hint: 'Do what the detail says first. If a setting is missing, ask the operator of the service.',
  },
  permission_denied: {
    connect: 'permission_denied',
    retry: 'never',
    title: 'This caller may not do that',
    detail: 'The role of this caller does not include this call.',
    hint: 'Call with a certificate that has the role, or ask the operator to add the role in INTERNAL_CALLERS.',
  },
  inbox_unavailable: {
    connect: 'unavailable',
    retry: 'after_wait',
    title: 'The leads cannot be read or changed right now',
    detail: 'The database cannot be read right now.',
    hint: 'Wait retryAfterSeconds, then call again; give WatchLeads the cursor of the last lead that you handled.',
  },
  deadline_exceeded: {
    connect: 'deadline_exceeded',
    retry: 'after_wait',
    title: 'The deadline has passed',
    detail: 'The deadline of the caller passed before the outcome was known. The operation may have been completed.',
    hint: 'Send the same request again, unchanged, with a longer deadline: a repeated lead is recognized, and an erasure or an opt-out may be repeated.',
  },
  call_canceled: {
    connect: 'canceled',
    retry: 'after_wait',
    title: 'The caller canceled the call',
    detail: 'The caller disconnected before the answer. The operation may have been completed.',
    hint: 'If you still need the outcome, send the same request again, unchanged.',
  },
  browser_refused: {
    status: 403,
    retry: 'never',
    title: 'Browsers are refused here',
    detail: 'The request comes from a browser, and this listener serves programs only.',
    hint: `Call from a program on the server. Website forms post to ${leadsPath} of the public API.`,
  },
} satisfies Record<string, Row>

export type ProblemCode = keyof typeof publicRows
export type InternalCode = keyof typeof internalRows

/** All problems of this service: the table behind REST, RPC, the OpenAPI document, the problem pages and the tests. */
export const problemTable = Object.fromEntries(
  Object.entries<Row>({ ...publicRows, ...internalRows }).map(([code, row]) => [
    code,
    { status: null, connect: null, ...row, retryable: row.retry === 'after_wait' },
  ]),
) as Record<ProblemCode, ProblemRow & { status: number }> & Record<InternalCode, ProblemRow>

/** Whether a code is part of the public contract, and therefore has a page. */
export function isPublicCode(code: ProblemCode | InternalCode): code is ProblemCode {
  return Object.hasOwn(publicRows, code)
}

/** The codes of the public contract, in table order. */
export const problemCodes = Object.keys(publicRows) as ProblemCode[]
