import type { LeadErrorCode } from '../lead/error.ts'

/** The Connect codes that a problem maps to; the string forms of the Connect protocol. */
export type ConnectCodeName =
  | 'invalid_argument'
  | 'failed_precondition'
  | 'not_found'
  | 'resource_exhausted'
  | 'unimplemented'
  | 'unavailable'
  | 'internal'

/** The conditions that only the edge of the service meets. */
type EdgeCode =
  | 'malformed_json'
  | 'invalid_body'
  | 'credentials_not_accepted'
  | 'bad_request'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'version_removed'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'unsupported_content_encoding'
  | 'rate_limited'
  | 'header_fields_too_large'
  | 'internal_error'

/** Codes that only RPC callers meet; they have no place in the public contract. */
export type RpcOnlyCode = 'invalid_argument' | 'inbox_unavailable'

/** Every stable problem code of the public contract (contract §5). */
export type ProblemCode = Exclude<LeadErrorCode, RpcOnlyCode> | EdgeCode

export interface ProblemRow {
  /** HTTP status. */
  status: number
  /** Connect code; null where no RPC can meet the condition. */
  connect: ConnectCodeName | null
  /** Whether the same request will succeed later. */
  retryable: boolean
  /** The same for every occurrence (RFC 9457 §3.1.3). */
  title: string
  /** What happened, where an occurrence has nothing of its own to say. */
  detail: string
  /** The next step, in the imperative, for a machine or a person. */
  hint: string
}

/**
 * Every problem that this service answers with: the one table that the REST facade, the RPC adapters, the OpenAPI
 * document, the problem pages and the tests read. A code, once released, never changes its meaning.
 */
export const problemTable = {
  malformed_json: {
    status: 400,
    connect: 'invalid_argument',
    retryable: false,
    title: 'The body is not valid JSON',
    detail: 'The request body is not one well-formed JSON text in UTF-8.',
    hint: 'Send one JSON object encoded as UTF-8, in which no member name occurs twice.',
  },
  invalid_body: {
    status: 400,
    connect: 'invalid_argument',
    retryable: false,
    title: 'The body is not a JSON object',
    detail: 'The request body is valid JSON, but not an object.',
    hint: 'Send one JSON object with the fields of a quote request or a contact message.',
  },
  credentials_not_accepted: {
    status: 400,
    connect: 'invalid_argument',
    retryable: false,
    title: 'Credentials are not accepted',
    detail: 'The request carries credentials, and this API is anonymous.',
    hint: 'Remove the Authorization, Proxy-Authorization and X-API-Key headers, then send the request again.',
  },
  idempotency_key_invalid: {
    status: 400,
    connect: 'invalid_argument',
    retryable: false,
    title: 'The Idempotency-Key is not valid',
    detail: 'The Idempotency-Key header is not one string of 1 to 255 printable ASCII characters.',
    hint: 'Send one key of 1 to 255 printable ASCII characters in double quotes, such as a UUID, or leave the header out.',
  },
  bad_request: {
    status: 400,
    connect: 'invalid_argument',
    retryable: false,
    title: 'The request is not valid HTTP',
    detail: 'The request could not be understood as HTTP/1.1.',
    hint: 'Correct the request line, the headers and the framing of the body, then send the request again.',
  },
  not_found: {
    status: 404,
    connect: 'unimplemented',
    retryable: false,
    title: 'There is nothing at this address',
    detail: 'No resource of this API has this path.',
    hint: 'Start from /api/v1 or /.well-known/api-catalog, which list every resource. Leads go to POST /api/v1/leads.',
  },
  method_not_allowed: {
    status: 405,
    connect: null,
    retryable: false,
    title: 'This method is not allowed here',
    detail: 'The resource exists, but does not know this method.',
    hint: 'Use one of the methods that the Allow header lists.',
  },
  request_timeout: {
    status: 408,
    connect: null,
    retryable: true,
    title: 'The request took too long to arrive',
    detail: 'The request was not complete within the time allowed.',
    hint: 'Send the whole request without pauses on a new connection.',
  },
  version_removed: {
    status: 410,
    connect: null,
    retryable: false,
    title: 'This version has been removed',
    detail: 'The alias /api/leads has been removed.',
    hint: 'Send the same request to the successor version that the Link header names.',
  },
  body_too_large: {
    status: 413,
    connect: 'resource_exhausted',
    retryable: false,
    title: 'The body exceeds 20,000 bytes',
    detail: 'The request body is larger than 20,000 bytes.',
    hint: 'Shorten the free text in notes or message, then send the request again.',
  },
  unsupported_media_type: {
    status: 415,
    connect: null,
    retryable: false,
    title: 'The content type is not application/json',
    detail: 'The Content-Type header is missing or is not application/json in UTF-8.',
    hint: 'Send a JSON body with the header Content-Type: application/json.',
  },
  unsupported_content_encoding: {
    status: 415,
    connect: null,
    retryable: false,
    title: 'The content encoding is not supported',
    detail: 'The request body is encoded, and only the identity encoding is accepted.',
    hint: 'Send the body uncompressed, without a Content-Encoding header.',
  },
  consent_required: {
    status: 422,
    connect: 'failed_precondition',
    retryable: false,
    title: 'Consent was not given',
    detail: 'communicationsConsent is not true.',
    hint: 'Ask the customer; submit only when the customer has agreed to be contacted, with communicationsConsent set to true.',
  },
  validation_failed: {
    status: 422,
    connect: 'invalid_argument',
    retryable: false,
    title: 'The submission has invalid fields',
    detail: 'One or more fields need attention.',
    hint: 'Correct every entry of errors, then send the lead once more.',
  },
  test_lead_rejected: {
    status: 422,
    connect: 'failed_precondition',
    retryable: false,
    title: 'Test data is not accepted',
    detail: 'The contact details are reserved for tests or cannot belong to anyone.',
    hint: 'Submit only real contact details of a customer who asked to be contacted. This service has no sandbox.',
  },
  idempotency_key_reused: {
    status: 422,
    connect: 'failed_precondition',
    retryable: false,
    title: 'The Idempotency-Key was used for another submission',
    detail: 'The same key came before with other content.',
    hint: 'Use a new key for a new submission; use the same key only to repeat the same submission.',
  },
  rate_limited: {
    status: 429,
    connect: 'resource_exhausted',
    retryable: true,
    title: 'Too many submissions',
    detail: 'The limit of submissions for this client is used up.',
    hint: 'Wait for the seconds in Retry-After, then send the submission once.',
  },
  header_fields_too_large: {
    status: 431,
    connect: null,
    retryable: false,
    title: 'The header fields are too large',
    detail: 'The header block of the request is larger than this service reads.',
    hint: 'Send fewer or shorter headers; no cookie and no credential is needed here.',
  },
  internal_error: {
    status: 500,
    connect: 'internal',
    retryable: true,
    title: 'An unexpected error',
    detail: 'Something went wrong in the service.',
    hint: 'Send the same request again later; if it persists, report the value of instance.',
  },
  service_unavailable: {
    status: 503,
    connect: 'unavailable',
    retryable: true,
    title: 'Leads cannot be accepted right now',
    detail: 'The lead could not be confirmed as stored in time.',
    hint: 'Send the same lead again, unchanged, after the seconds in Retry-After; a repeated lead is recognised.',
  },
  overloaded: {
    status: 503,
    connect: 'unavailable',
    retryable: true,
    title: 'The service is overloaded',
    detail: 'More submissions are waiting than the service can take. This one was not stored.',
    hint: 'Send the same lead again, unchanged, after the seconds in Retry-After.',
  },
} as const satisfies Record<ProblemCode, ProblemRow>

/** Every problem code, in the order of the table. */
export const problemCodes = Object.keys(problemTable) as ProblemCode[]
