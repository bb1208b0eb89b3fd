import { apiVersion } from '../../../src/public-paths.ts'
import { type JsonObject, ref } from './json.ts'
import { answerHeaders, headerRefs, problemRefs, readFamily } from './responses.ts'
import { consentSchema, openCode, text } from './schema-parts.ts'

/** `GET /api/v1`. */
export function readRoot(): JsonObject {
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
        headers: headerRefs([...answerHeaders, 'Link']),
        content: { 'application/json': { schema: ref('schemas', 'ServiceRoot') } },
      },
      ...problemRefs(readFamily),
    },
  }
}

/** The schema of the service's description. */
export function createRootSchema(): JsonObject {
  const count = (description: string, example: number): JsonObject => ({
    type: 'integer',
    format: 'int32',
    description,
    minimum: 1,
    maximum: 1_000_000,
    examples: [example],
  })
  const links = ['self', 'leads', 'openapi', 'docs', 'catalog', 'llms', 'terms', 'privacy']
  return {
    type: 'object',
    description: 'What this service is and whether it accepts leads now.',
    required: ['name', 'version', 'status', 'authentication', 'links', 'consent', 'limits'],
    properties: {
      name: text('The name of the API.', 100),
      version: { type: 'string', description: 'The version in the path.', const: apiVersion },
      status: openCode(
        '`operational`; `degraded`: leads are taken, and the rate limit may be stricter for a while; `unavailable`: leads cannot be stored now.',
        ['operational', 'degraded', 'unavailable'],
      ),
      authentication: { type: 'string', description: 'No credential is needed or accepted.', const: 'none' },
      links: {
        type: 'object',
        description: 'Absolute URLs of everything a caller needs.',
        required: links,
        properties: Object.fromEntries(links.map((name) => [name, { type: 'string', format: 'uri', maxLength: 2048 }])),
      },
      consent: consentSchema('What a customer must agree to before a quote request is submitted.'),
      limits: {
        type: 'object',
        description: 'The limits of a submission.',
        required: ['bodyBytes', 'rate'],
        properties: {
          bodyBytes: count('The maximum size of a body in bytes.', 20_000),
          rate: {
            type: 'object',
            description: 'How many submissions a client may send.',
            required: ['requests', 'windowSeconds', 'per', 'appliesTo'],
            properties: {
              requests: count('The number of submissions per window.', 10),
              windowSeconds: count('The length of the window in seconds.', 60),
              per: { type: 'string', description: 'Whose submissions are counted.', const: 'client' },
              appliesTo: { type: 'string', description: 'What is counted.', const: 'submissions' },
            },
          },
        },
      },
    },
  }
}
