import { apiVersion } from '../../../src/public-paths.ts'
import { answerHeaders, headerRefs, problemRefs, readFamily } from './responses.ts'
import { consentSchema, constant, integer, type JsonObject, object, openCode, ref, text } from './schema-parts.ts'

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

const links = ['self', 'leads', 'openapi', 'docs', 'catalog', 'llms', 'terms', 'privacy']

/** The schema of the service's description. */
export function createRootSchema(): JsonObject {
  const count = (description: string, example: number) => integer(description, 1, 1_000_000, [example])
  return object('What this service is and whether it accepts leads now.', {
    name: text('The name of the API.', 100),
    version: constant('The version in the path.', apiVersion),
    status: openCode(
      '`operational`; `degraded`: leads are taken, and the rate limit may be stricter for a while; `unavailable`: leads cannot be stored now.',
      ['operational', 'degraded', 'unavailable'],
    ),
    authentication: constant('No credential is needed or accepted.', 'none'),
    links: object(
      'Absolute URLs of everything a caller needs.',
      Object.fromEntries(links.map((name) => [name, { type: 'string', format: 'uri', maxLength: 2048 }])),
    ),
    consent: consentSchema('What a customer must agree to before a quote request is submitted.'),
    limits: object('The limits of a submission.', {
      bodyBytes: count('The maximum size of a body in bytes.', 20_000),
      rate: object('How many submissions a client may send.', {
        requests: count('The number of submissions per window.', 10),
        windowSeconds: count('The length of the window in seconds.', 60),
        per: constant('Whose submissions are counted.', 'client'),
        appliesTo: constant('What is counted.', 'submissions'),
      }),
    }),
  })
}
