import type { DiscoveryContext } from '../context.ts'
import type { Document } from '../document.ts'
import { exampleLeads, exampleReceipt, exampleWarning } from '../facts/examples.ts'
import { amount, grouped, rateText } from '../facts/limits.ts'
import {
  aliasCodes,
  documentOperations,
  type ReadOperation,
  rateHeaders,
  strayCodes,
  submissionCodes,
} from '../facts/operations.ts'
import { createAnswerSchemas } from './answer-schemas.ts'
import { type JsonObject, ref } from './json.ts'
import { createLeadSchemas } from './lead-schemas.ts'
import {
  answerHeaders,
  createHeaders,
  createProblemExamples,
  createReadResponses,
  headerRefs,
  problemResponse,
  problemResponses,
  readProblems,
  uncountedHeaders,
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
      '/api/v1': { get: describeRoot() },
      '/api/v1/leads': { post: submission(context, false) },
      '/api/leads': { post: submission(context, true) },
      ...Object.fromEntries(documentOperations.map((operation) => [operation.path, { get: describeRead(operation) }])),
    },
    components: {
      schemas: { ...createLeadSchemas(context), ...createAnswerSchemas(context) },
      headers: createHeaders(context),
      examples: createProblemExamples(context),
      responses: createReadResponses(),
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

function submission(context: DiscoveryContext, alias: boolean): JsonObject {
  const headers = [
    ...answerHeaders,
    ...rateHeaders,
    ...(alias ? (['Deprecation', 'Sunset', 'Link'] as const) : []),
  ] as const
  const { duplicateWindowHours, keyWindowHours } = context
  return {
    operationId: alias ? 'submitLeadByAlias' : 'submitLead',
    tags: ['Leads'],
    summary: alias ? 'Submit a lead (deprecated alias)' : 'Submit a quote request or a contact message',
    description: alias
      ? 'The same as `POST /api/v1/leads`, kept for older website forms of the business. New callers use `/api/v1/leads`. Every answer says since when it is deprecated and links to the successor and to the policy. At least 365 days of notice are given before it is removed.'
      : [
          'Call this when a customer has asked this business to contact them, has given these details for it and, for a quote request, has agreed to the consent wording. One call makes one lead.',
          'Do not call it to test an integration, to ask for information that you could read, on a guess at what a customer might want, or again after a 200 or 201.',
          `A lead is durable once 201 is sent.${duplicateWindowHours === 0 ? '' : ` The same content within ${amount(duplicateWindowHours, 'hour')} gives 200 with the first receipt.`} An \`Idempotency-Key\` is remembered for ${amount(keyWindowHours, 'hour')}.`,
        ].join('\n\n'),
    deprecated: alias || undefined,
    security: [{}],
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        required: false,
        description: `Names this submission, as a structured-field string of 1 to 255 characters (in double quotes; a bare key is taken too). Remembered for ${amount(keyWindowHours, 'hour')}.`,
        schema: { type: 'string', minLength: 1, maxLength: 512, pattern: keyPattern },
        example: '"8e03978e-40d5-43e8-bc93-6894a57f9324"',
      },
    ],
    requestBody: ref('requestBodies', 'Lead'),
    responses: {
      200: {
        description: 'The same content was submitted before: its first receipt, and no second lead.',
        headers: headerRefs(headers),
        content: {
          'application/json': {
            schema: ref('schemas', 'DuplicateReceipt'),
            examples: {
              duplicate: { summary: 'Submitted before', value: { ...exampleReceipt, duplicate: true } },
            },
          },
        },
      },
      201: {
        description: 'The lead is stored. Also the answer to a repeated `Idempotency-Key`, with the first receipt.',
        headers: headerRefs([...headers, 'Idempotency-Replayed']),
        content: {
          'application/json': {
            schema: ref('schemas', 'Receipt'),
            examples: { stored: { summary: 'Stored', value: exampleReceipt } },
          },
        },
      },
      ...problemResponses([...submissionCodes, ...(alias ? aliasCodes : [])], headers),
      default: problemResponse(strayCodes, answerHeaders),
    },
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
        description: 'The service, its status, its limits and its links.',
        headers: { ...headerRefs([...answerHeaders, 'Link']), ...uncountedHeaders },
        content: { 'application/json': { schema: ref('schemas', 'ServiceRoot') } },
      },
      ...readProblems,
    },
  }
}

function describeRead({ path, operationId, summary, description, mediaTypes }: ReadOperation): JsonObject {
  const schema = path.endsWith('api-catalog') ? { schema: ref('schemas', 'Linkset') } : {}
  const headers = { ...headerRefs([...answerHeaders, 'ETag']), ...uncountedHeaders }
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
        content: Object.fromEntries(mediaTypes.map((type) => [type, schema])),
      },
      304: { description: 'Unchanged since the ETag in `If-None-Match`.', headers },
      ...readProblems,
    },
  }
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
