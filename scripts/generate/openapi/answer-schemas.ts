import { faultCodes } from '../../../src/lead/fault-table.ts'
import { faultsMax } from '../../../src/problem/document.ts'
import { problemCodes } from '../../../src/problem/table.ts'
import { bodyMaxBytes } from '../../../src/rest/body.ts'
import { exampleReceipt } from '../facts/examples.ts'
import { commentOf, kindFacts } from '../facts/fields.ts'
import { type JsonObject, ref } from './json.ts'
import { consentSchema, openCode, text, url } from './schema-parts.ts'

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
  return {
    type: 'object',
    description: duplicate
      ? 'The receipt of the lead that the same content made earlier. There is no second lead.'
      : 'The receipt of a lead. It has no personal data and no state.',
    required: ['id', 'formType', 'receivedAt', ...(duplicate ? ['duplicate'] : [])],
    properties: {
      id: text(commentOf('leadintake.v1.SubmitLeadResponse.id'), 36, {
        format: 'uuid',
        pattern: uuid7Pattern,
        examples: [exampleReceipt.id],
      }),
      formType: openCode(
        'The kind of the lead.',
        kindFacts.map(({ kind }) => kind),
      ),
      receivedAt: text(commentOf('leadintake.v1.SubmitLeadResponse.received_at'), 24, {
        format: 'date-time',
        examples: [exampleReceipt.receivedAt],
      }),
      ...(duplicate && {
        duplicate: {
          type: 'boolean',
          const: true,
          description: commentOf('leadintake.v1.SubmitLeadResponse.duplicate'),
        },
      }),
    },
  }
}

function problemSchema(): JsonObject {
  const comment = (name: string) => commentOf(`leadintake.v1.Problem.${name}`)
  return {
    type: 'object',
    description:
      'A problem details object (RFC 9457). Let your program act on `code`; a code never changes its meaning.',
    required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'hint', 'retryable', 'retry', 'error'],
    properties: {
      type: url('Identifies the kind of problem and links to the page about it.', {
        examples: ['{{baseUrl}}/problems/validation_failed'],
      }),
      title: text(comment('title'), 200),
      status: {
        type: 'integer',
        format: 'int32',
        description: 'The HTTP status of the answer.',
        minimum: 400,
        maximum: 599,
      },
      detail: text(comment('detail'), 1000),
      instance: text(comment('instance'), 45, { format: 'uri', pattern: uuidPattern.replace('^', '^urn:uuid:') }),
      code: openCode(comment('code'), problemCodes),
      hint: text(comment('hint'), 1000),
      retryable: { type: 'boolean', description: comment('retryable') },
      retry: openCode(comment('retry'), ['never', 'after_correction', 'after_wait']),
      retryAfterSeconds: {
        type: 'integer',
        format: 'int32',
        description:
          'How many seconds to wait before the next attempt: the same number as `Retry-After`. Absent without that header.',
        minimum: 1,
        maximum: 1_000_000,
      },
      allowedMethods: {
        type: 'array',
        description: 'The methods that this address supports: the same as `Allow`. Absent without that header.',
        minItems: 1,
        maxItems: 10,
        items: text('A method.', 20),
      },
      consent: consentSchema('The wording to tell the customer. Present in every problem about consent.'),
      error: text('The same text as `detail`, for older clients.', 1000),
      errors: {
        type: 'array',
        description: comment('errors'),
        minItems: 1,
        maxItems: faultsMax,
        items: ref('schemas', 'FieldViolation'),
      },
      errorsOmitted: {
        type: 'integer',
        format: 'int32',
        description: `How many faults \`errors\` leaves out. Absent when it has them all.`,
        minimum: 1,
        maximum: bodyMaxBytes,
      },
    },
  }
}

function violationSchema(): JsonObject {
  const comment = (name: string) => commentOf(`leadintake.v1.FieldViolation.${name}`)
  return {
    type: 'object',
    description: 'One invalid field.',
    required: ['pointer', 'code', 'detail', 'hint'],
    properties: {
      pointer: text(comment('pointer'), 150, { pattern: '^#/', examples: ['#/phone'] }),
      code: openCode(comment('code'), faultCodes),
      detail: text(comment('detail'), 1000),
      hint: text(comment('hint'), 1000),
      suggestion: text(
        'The name of the field that this member was probably meant to be. Absent if no field has a similar name.',
        100,
      ),
    },
  }
}

function linksetSchema(): JsonObject {
  return {
    type: 'object',
    description: 'A set of links (RFC 9264, section 4.2).',
    required: ['linkset'],
    properties: {
      linkset: {
        type: 'array',
        description: 'One object for each context: the catalog itself, and the API.',
        minItems: 1,
        maxItems: 10,
        items: {
          type: 'object',
          description: 'The links of one context, by relation.',
          required: ['anchor'],
          properties: { anchor: url('The context of the links.') },
        },
      },
    },
  }
}
