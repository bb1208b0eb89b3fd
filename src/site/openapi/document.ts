import type { DiscoveryContext } from '../context.ts'
import type { Document } from '../document.ts'
import { exampleLeads, exampleReceipt, exampleWarning } from '../facts/examples.ts'
import type { HeaderName } from '../facts/headers.ts'
import { amount, grouped, rateText } from '../facts/limits.ts'
import {
  aliasCodes,
  documentOperations,
  type ReadOperation,
  rateHeaders,
  submissionCodes,
} from '../facts/operations.ts'
import { createAnswerSchemas } from './answer-schemas.ts'
import { type JsonObject, ref } from './json.ts'
import { createLeadSchemas } from './lead-schemas.ts'
import {
  answerHeaders,
  canBeSent,
  createHeaders,
  createOtherProblem,
  createProblemExamples,
  createProblemResponses,
  type Family,
  headerRefs,
  problemRefs,
  readFamily,
} from './responses.ts'

/** `/openapi.json`: the public API in OpenAPI 3.1. Nothing internal is in it. */
export function createOpenApi(context: DiscoveryContext): Document {
  return {
    path: '/openapi.json',
    contentType: 'application/json; charset=utf-8',
    // Patterns have invisible characters in them; written as ASCII, they survive every editor and every log.
    render: () => JSON.stringify(describeApi(context)).replace(/[^\x20-\x7e]/g, escapeCharacter),
    readableAnywhere: true,
  }
}

function describeApi(context: DiscoveryContext): JsonObject {
  const { baseUrl, business } = context
  return {
    openapi: '3.1.1',
    info: {
      title: 'Lead Intake API',
      version: '1.0.0',
      summary: `Take customer-authorised leads to ${business.name}.`,
      description: describePurpose(context),
      termsOfService: `${baseUrl}/terms`,
      contact: { name: business.name, url: `${baseUrl}/developers`, email: business.email },
      license: { name: 'Use is governed by the terms', url: `${baseUrl}/terms` },
    },
    externalDocs: { description: 'API reference for people', url: `${baseUrl}/api-docs` },
    servers: [{ url: baseUrl, description: 'The service. There is no sandbox.', 'x-internal': false }],
    // Anonymous by design: no scheme is defined, and credentials are refused.
    security: [{}],
    tags: [
      { name: 'Leads', description: 'Hand over a lead that a customer has authorised.' },
      { name: 'Service', description: 'Find out what the service is and whether it takes leads.' },
      { name: 'Documents', description: 'Descriptions for machines and pages for people.' },
    ],
    paths: {
      '/api/v1/leads': { post: submission(context) },
      '/api/v1': { get: describeRoot() },
      ...Object.fromEntries(documentOperations.map((operation) => [operation.path, { get: describeRead(operation) }])),
      '/api/leads': { post: aliasSubmission(context) },
    },
    components: {
      schemas: { ...createLeadSchemas(context), ...createAnswerSchemas(context) },
      headers: createHeaders(context),
      examples: createProblemExamples(context),
      responses: {
        ...createReceiptResponses('Lead', submissionHeaders(context)),
        ...createProblemResponses(leadFamily(context)),
        ...createProblemResponses(readFamily),
        ...createReceiptResponses('Alias', aliasHeaders(context)),
        ...createProblemResponses(aliasFamily(context)),
        ...createOtherProblem(),
      },
      requestBodies: { Lead: requestBody(context) },
    },
  }
}

function describePurpose(context: DiscoveryContext): string {
  const { business, bodyMaxBytes } = context
  return [
    `Public API of ${business.name}, a residential cleaning business (${business.serviceArea}). It takes quote requests and contact messages that a customer has explicitly authorised.`,
    'Submit only when the customer asked to be contacted by this business and agreed to it. Never submit test, invented, duplicate or unsolicited leads: there is no sandbox, and people read every lead.',
    `Anonymous: no account, key or token exists, and credentials are refused. A body has at most ${grouped(bodyMaxBytes)} bytes. The limit is ${rateText(context)} for each client, counted over every POST to either lead path, valid or not; a window starts with a client's first request.`,
    'Every error is a problem (RFC 9457) with a stable `code`, a `hint` that says what to do next, and `retryable`. Retry only what is retryable, after `Retry-After`. There is no status to poll, and nothing is delivered later.',
  ].join('\n\n')
}

/** A quoted string of 1 to 255 characters, or a bare key (src/lead/idempotency-key.ts). */
const keyPattern = String.raw`^(?:"(?:[ !#-\[\]-~]|\\["\\]){1,255}"|[!#-+\--:<-\[\]-~]{1,255})$`

function submission(context: DiscoveryContext): JsonObject {
  const { duplicateWindowHours, keyWindowHours } = context
  return {
    operationId: 'submitLead',
    tags: ['Leads'],
    summary: 'Submit a quote request or a contact message',
    description: [
      'Call this when a customer has asked this business to contact them, has given these details for it and, for a quote request, has agreed to the consent wording. One call makes one lead.',
      'Do not call it to test an integration, to ask for information that you could read, on a guess at what a customer might want, or again after a 200 or 201.',
      `A lead is durable once 201 is sent.${duplicateWindowHours === 0 ? '' : ` The same content within ${amount(duplicateWindowHours, 'hour')}, with or without a key, makes no second lead: 200 with the first receipt. \`consentTimestamp\` and \`pageUrl\` do not count as content.`} An \`Idempotency-Key\` is remembered for ${amount(keyWindowHours, 'hour')}.`,
    ].join('\n\n'),
    security: [{}],
    parameters: [idempotencyKey(context)],
    requestBody: ref('requestBodies', 'Lead'),
    responses: { ...receiptRefs('Lead'), ...problemRefs(leadFamily(context)) },
  }
}

function aliasSubmission(context: DiscoveryContext): JsonObject {
  return {
    operationId: 'submitLeadByAlias',
    tags: ['Leads'],
    summary: 'Submit a lead (deprecated alias)',
    description:
      'The same as `POST /api/v1/leads`, kept for older website forms of the business. New callers use `/api/v1/leads`. Every answer says since when it is deprecated and links to the successor and to the policy. At least 365 days of notice are given before it is removed.',
    deprecated: true,
    security: [{}],
    parameters: [idempotencyKey(context)],
    requestBody: ref('requestBodies', 'Lead'),
    responses: { ...receiptRefs('Alias'), ...problemRefs(aliasFamily(context)) },
  }
}

/** The headers of every answer to a submission. Browsers are told apart only where forms of the business post. */
function submissionHeaders({ corsOrigins }: DiscoveryContext): HeaderName[] {
  return [
    ...answerHeaders,
    ...rateHeaders,
    ...(corsOrigins.length > 0 ? (['Access-Control-Allow-Origin'] as const) : []),
  ]
}

function aliasHeaders(context: DiscoveryContext): HeaderName[] {
  const own = ['Deprecation', 'Sunset', 'Link'] as const
  return [...submissionHeaders(context), ...own.filter((name) => canBeSent(name, context))]
}

function leadFamily(context: DiscoveryContext): Family {
  return { prefix: 'Lead', codes: submissionCodes, headers: [...submissionHeaders(context), 'Link'] }
}

function aliasFamily(context: DiscoveryContext): Family {
  return { prefix: 'Alias', codes: [...submissionCodes, ...aliasCodes], headers: aliasHeaders(context) }
}

/** The two ways to be told that there is a lead. */
function createReceiptResponses(prefix: string, headers: readonly HeaderName[]): Record<string, JsonObject> {
  const receipt = (schema: string, name: string, summary: string, value: JsonObject): JsonObject => ({
    'application/json': { schema: ref('schemas', schema), examples: { [name]: { summary, value } } },
  })
  return {
    [`${prefix}Duplicate`]: {
      description: 'The same content was submitted before: its first receipt, and no second lead.',
      headers: headerRefs(headers),
      content: receipt('DuplicateReceipt', 'duplicate', 'Submitted before', { ...exampleReceipt, duplicate: true }),
    },
    [`${prefix}Stored`]: {
      description: 'The lead is stored. Also the answer to a repeated `Idempotency-Key`, with the first receipt.',
      headers: headerRefs([...headers, 'Idempotency-Replayed']),
      content: receipt('Receipt', 'stored', 'Stored', exampleReceipt),
    },
  }
}

function receiptRefs(prefix: string): JsonObject {
  return { 200: ref('responses', `${prefix}Duplicate`), 201: ref('responses', `${prefix}Stored`) }
}

function idempotencyKey({ keyWindowHours }: DiscoveryContext): JsonObject {
  return {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: `Names this submission, as a structured-field string of 1 to 255 characters (in double quotes; a bare key is taken too). Make a new one for each lead, such as a random UUID, and send the same one when you repeat the lead. Remembered for ${amount(keyWindowHours, 'hour')}.`,
    schema: { type: 'string', minLength: 1, maxLength: 512, pattern: keyPattern },
  }
}

function requestBody({ bodyMaxBytes }: DiscoveryContext): JsonObject {
  const about = exampleWarning.replaceAll('`', '')
  const { consentTimestamp: _, pageUrl: __, ...smallest } = exampleLeads.quote
  return {
    required: true,
    description: `One JSON object in UTF-8, at most ${grouped(bodyMaxBytes)} bytes.`,
    content: {
      'application/json': {
        schema: ref('schemas', 'Lead'),
        examples: {
          quote: { summary: 'Quote request', description: about, value: exampleLeads.quote },
          smallestQuote: { summary: 'Quote request, required fields only', description: about, value: smallest },
          contact: { summary: 'Contact message', description: about, value: exampleLeads.support },
        },
      },
    },
  }
}

function describeRoot(): JsonObject {
  return {
    operationId: 'getService',
    tags: ['Service'],
    summary: 'Read what the service is and whether it takes leads',
    description:
      'Safe to call at any time: it stores nothing and never counts against the rate limit. Not needed before a submission.',
    security: [{}],
    responses: {
      200: {
        description: 'The service, its status, its limits, the consent wording and its links.',
        headers: headerRefs([...answerHeaders, 'Link', 'Access-Control-Allow-Origin']),
        content: { 'application/json': { schema: ref('schemas', 'ServiceRoot') } },
      },
      ...problemRefs(readFamily),
    },
  }
}

function describeRead({
  path,
  operationId,
  summary,
  description,
  mediaTypes,
  headers: own,
}: ReadOperation): JsonObject {
  const headers = headerRefs([...answerHeaders, 'ETag', ...own])
  return {
    operationId,
    tags: ['Documents'],
    summary,
    description,
    security: [{}],
    responses: {
      200: {
        description: 'The document.',
        headers,
        content: Object.fromEntries(mediaTypes.map((type) => [type, { schema: documentSchema(path, type) }])),
      },
      304: { description: 'Unchanged since the ETag in `If-None-Match`.', headers },
      ...problemRefs(readFamily),
    },
  }
}

function documentSchema(path: string, mediaType: string): JsonObject {
  if (path.endsWith('api-catalog')) return ref('schemas', 'Linkset')
  if (mediaType.endsWith('json')) return { type: 'object', description: 'An OpenAPI 3.1 description.' }
  return { type: 'string', description: 'The text of the document.', maxLength: 1_000_000 }
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
