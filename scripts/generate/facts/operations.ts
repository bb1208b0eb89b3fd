import type { ProblemCode } from '../../../src/problem/table.ts'
import type { HeaderName } from './headers.ts'

/** Problems of any request, detected before its path matters. */
export const transportCodes: readonly ProblemCode[] = ['bad_request', 'request_timeout', 'header_fields_too_large']

/** The problems of a submission, on either lead path. */
export const submissionCodes: readonly ProblemCode[] = [
  'malformed_json',
  'invalid_body',
  'credentials_not_accepted',
  'idempotency_key_invalid',
  'body_too_large',
  'unsupported_media_type',
  'unsupported_content_encoding',
  'consent_required',
  'validation_failed',
  'test_lead_rejected',
  'idempotency_key_reused',
  'rate_limited',
  'service_unavailable',
  'overloaded',
  'internal_error',
  ...transportCodes,
]

/** Additional problems of the deprecated alias. */
export const aliasCodes: readonly ProblemCode[] = ['version_removed']

/** The problems of requests that no operation describes: another path or method. */
export const strayCodes: readonly ProblemCode[] = ['not_found', 'method_not_allowed']

/** The headers of a problem's answer, in addition to those of its operation. */
export const problemHeaders: Readonly<Partial<Record<ProblemCode, readonly HeaderName[]>>> = {
  method_not_allowed: ['Allow'],
  unsupported_media_type: ['Accept'],
  unsupported_content_encoding: ['Accept-Encoding'],
  rate_limited: ['Retry-After'],
  service_unavailable: ['Retry-After'],
  overloaded: ['Retry-After'],
}

/** The headers of all answers to a submission. */
export const rateHeaders: readonly HeaderName[] = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
]

/** A document that can only be read. */
export interface ReadOperation {
  path: string
  operationId: string
  summary: string
  description: string
  mediaType: string
  /** The headers of its answer, in addition to `ETag`. */
  headers: readonly HeaderName[]
}

/** The discovery resources of the specification. */
export const documentOperations: readonly ReadOperation[] = [
  {
    path: '/.well-known/api-catalog',
    operationId: 'getApiCatalog',
    summary: 'Find the API',
    description: 'The API catalog (RFC 9727): links to this API, its description, its documentation and its policies.',
    mediaType: 'application/linkset+json',
    headers: ['Link'],
  },
  {
    path: '/openapi.json',
    operationId: 'getOpenApi',
    summary: 'Read this description',
    description: 'The OpenAPI 3.1 description, for tools. Cache it by its ETag.',
    mediaType: 'application/json',
    headers: [],
  },
  {
    path: '/llms.txt',
    operationId: 'getLlmsTxt',
    summary: 'Read the summary for agents',
    description: 'The rules, a worked example and what to do on each error, on one page of plain text.',
    mediaType: 'text/plain',
    headers: [],
  },
  {
    path: '/api-docs',
    operationId: 'getApiDocs',
    summary: 'Read the reference',
    description: 'The human documentation of every field, code, header and limit; as Markdown at `/api-docs.md`.',
    mediaType: 'text/html',
    headers: ['Link'],
  },
]
