import { faultCodes } from '../../../src/lead/fault-table.ts'
import { faultsMax } from '../../../src/problem/document.ts'
import { problemCodes } from '../../../src/problem/table.ts'
import { bodyMaxBytes } from '../../../src/rest/body.ts'
import { commentOf } from '../comments.ts'
import { exampleReceipt } from '../facts/examples.ts'
import { kindFacts } from '../facts/fields.ts'
import { consentSchema, integer, type JsonObject, object, openCode, ref, text, url } from './schema-parts.ts'

const uuidPattern = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
const uuid7Pattern = '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'

/** The schemas of the service's answers, by name. */
export function createAnswerSchemas(): Record<string, JsonObject> {
  return {
    Receipt: receiptSchema(false),
    DuplicateReceipt: receiptSchema(true),
    Problem: problemSchema(),
    FieldViolation: violationSchema(),
    Linkset: linksetSchema(),
  }
}

function receiptSchema(duplicate: boolean): JsonObject {
  const comment = (name: string) => commentOf(`leadintake.v1.SubmitLeadResponse.${name}`)
  const properties = {
    id: text(comment('id'), 36, { format: 'uuid', pattern: uuid7Pattern, examples: [exampleReceipt.id] }),
    formType: openCode(
      'The kind of the lead.',
      kindFacts.map(({ kind }) => kind),
    ),
    receivedAt: text(comment('received_at'), 24, { format: 'date-time', examples: [exampleReceipt.receivedAt] }),
  }
  if (!duplicate) return object('The receipt of a lead. It has no personal data and no state.', properties)
  return object('The receipt of the lead that the same content made earlier. There is no second lead.', {
    ...properties,
    duplicate: { type: 'boolean', const: true, description: comment('duplicate') },
  })
}

function problemSchema(): JsonObject {
  const comment = (name: string) => commentOf(`leadintake.v1.Problem.${name}`)
  const optional = ['retryAfterSeconds', 'allowedMethods', 'consent', 'errors', 'errorsOmitted']
  const description =
    'A problem details object (RFC 9457). Let your program act on `code`; a code never changes its meaning.'
  const properties = {
    type: url('Identifies the kind of problem and links to the page about it.', {
      examples: ['{{baseUrl}}/problems/validation_failed'],
    }),
    title: text(comment('title'), 200),
    status: integer('The HTTP status of the answer.', 400, 599),
    detail: text(comment('detail'), 1000),
    instance: text(comment('instance'), 45, { format: 'uri', pattern: uuidPattern.replace('^', '^urn:uuid:') }),
    code: openCode(comment('code'), problemCodes),
    hint: text(comment('hint'), 1000),
    retryable: { type: 'boolean', description: comment('retryable') },
    retry: openCode(comment('retry'), ['never', 'after_correction', 'after_wait']),
    retryAfterSeconds: integer(
      'How many seconds to wait before the next attempt: the same number as `Retry-After`. Absent without that header.',
      1,
      1_000_000,
    ),
    allowedMethods: {
      type: 'array',
      description: 'The methods that this address supports: the same as `Allow`. Absent without that header.',
      minItems: 1,
      maxItems: 10,
      items: text('A method.', 20),
    },
    consent: consentSchema('The wording to tell the customer. Present where a `hint` names it.'),
    error: text('The same text as `detail`, for older clients.', 1000),
    errors: {
      type: 'array',
      description: comment('errors'),
      minItems: 1,
      maxItems: faultsMax,
      items: ref('schemas', 'FieldViolation'),
    },
    errorsOmitted: integer('How many faults `errors` leaves out. Absent when it has them all.', 1, bodyMaxBytes),
  }
  return object(description, properties, optional)
}

function violationSchema(): JsonObject {
  const comment = (name: string) => commentOf(`leadintake.v1.FieldViolation.${name}`)
  const properties = {
    pointer: text(comment('pointer'), 150, { pattern: '^#/', examples: ['#/phone'] }),
    code: openCode(comment('code'), faultCodes),
    detail: text(comment('detail'), 1000),
    hint: text(comment('hint'), 1000),
    suggestion: text(
      'The name of the field that this member was probably meant to be. Absent if no field has a similar name.',
      100,
    ),
  }
  return object('One invalid field.', properties, ['suggestion'])
}

function linksetSchema(): JsonObject {
  return object('A set of links (RFC 9264, section 4.2).', {
    linkset: {
      type: 'array',
      description: 'One object for each context: the catalog itself, and the API.',
      minItems: 1,
      maxItems: 10,
      items: object('The links of one context, by relation.', { anchor: url('The context of the links.') }),
    },
  })
}
