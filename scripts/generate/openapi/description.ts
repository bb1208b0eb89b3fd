import { aliasPath, apiRootPath, leadsPath } from '../../../src/public-paths.ts'
import { bodyMaxBytes } from '../../../src/rest/body.ts'
import { grouped } from '../../../src/site/values.ts'
import { numbersIn } from '../facts/examples.ts'
import { documentOperations, type ReadOperation } from '../facts/operations.ts'
import { createAnswerSchemas } from './answer-schemas.ts'
import { createLeadSchemas } from './lead-schemas.ts'
import {
  answerHeaders,
  createHeaders,
  createOtherProblem,
  createProblemExamples,
  createProblemResponses,
  headerRefs,
  problemRefs,
  readFamily,
} from './responses.ts'
import { type JsonObject, ref } from './schema-parts.ts'
import { createRootSchema, readRoot } from './service-root.ts'
import { aliasSubmission, createSubmissionResponses, requestBody, submission } from './submission.ts'

/** `/openapi.json`: the public API in OpenAPI 3.1, with placeholders. Nothing internal is in it. */
export function createOpenApi(): string {
  // A member between two section tags is there if the deployment has the setting.
  return numbersIn(JSON.stringify(describeApi(), null, 1)).replace(/"(\{\{[#/]\w+\}\})": null,/g, '$1')
}

function describeApi(): JsonObject {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Lead Intake API',
      version: '1.0.0',
      summary: 'Take customer-authorized leads to {{business}}.',
      description: describePurpose(),
      'x-changelog': '{{baseUrl}}/api-docs#changelog',
      termsOfService: '{{baseUrl}}/terms',
      contact: { name: '{{business}}', url: '{{baseUrl}}/developers', email: '{{email}}' },
      license: { name: 'Use is governed by the terms', url: '{{baseUrl}}/terms' },
    },
    externalDocs: { description: 'API reference for people', url: '{{baseUrl}}/api-docs' },
    servers: [{ url: '{{baseUrl}}', description: 'The service. There is no sandbox.', 'x-internal': false }],
    // Anonymous by design: there are no security schemes, and credentials are refused.
    security: [{}],
    tags: [
      { name: 'Leads', description: 'Submit a lead that a customer has authorized.' },
      { name: 'Service', description: 'Find out what the service is and whether it accepts leads.' },
      { name: 'Documents', description: 'Descriptions for machines and pages for people.' },
    ],
    paths: {
      [leadsPath]: { post: submission() },
      [apiRootPath]: { get: readRoot() },
      ...Object.fromEntries(documentOperations.map((operation) => [operation.path, { get: describeRead(operation) }])),
      [aliasPath]: { post: aliasSubmission() },
    },
    components: {
      schemas: { ...createLeadSchemas(), ServiceRoot: createRootSchema(), ...createAnswerSchemas() },
      headers: createHeaders(),
      examples: createProblemExamples(),
      responses: {
        ...createSubmissionResponses(),
        ...createProblemResponses(readFamily),
        ...createOtherProblem(),
      },
      requestBodies: { Lead: requestBody() },
    },
  }
}

function describePurpose(): string {
  return [
    'Public API of {{business}}, a residential cleaning business ({{serviceArea}}). It takes quote requests and contact messages that a customer has explicitly authorized.',
    'Submit only when an adult customer asked to be contacted by this business and agreed to it. Never submit test, invented, duplicate or unsolicited leads: there is no sandbox, and people read every lead.',
    `Anonymous: no account, key or token exists; the headers Authorization, Proxy-Authorization and X-API-Key are refused. A body has at most ${grouped(bodyMaxBytes)} bytes. The limit is {{rate}} for each address (a hosted agent shares it with others that send from there), counted over every POST to either lead path, valid or not; a window starts with the first request.`,
    'Every error is a problem (RFC 9457) with a stable `code`, a `hint` that says what to do next, and `retry`: whether and when to send again. There is no status to poll and no callback.',
    'Changes are listed at {{baseUrl}}/api-docs#changelog.',
  ].join('\n\n')
}

function describeRead({ path, operationId, summary, description, mediaType, headers: own }: ReadOperation): JsonObject {
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
        content: { [mediaType]: { schema: documentSchema(path, mediaType) } },
      },
      304: { description: 'The document still has the ETag in `If-None-Match`.' },
      ...problemRefs(readFamily),
    },
  }
}

function documentSchema(path: string, mediaType: string): JsonObject {
  if (path.endsWith('api-catalog')) return ref('schemas', 'Linkset')
  if (mediaType.endsWith('json')) return { type: 'object', description: 'An OpenAPI 3.1 description.' }
  return { type: 'string', description: 'The text of the document.', maxLength: 1_000_000 }
}
