import { leadRules } from '../../../src/lead/rules.ts'
import { leadsPath } from '../../../src/public-paths.ts'
import { bodyMaxBytes } from '../../../src/rest/body.ts'
import { grouped } from '../../../src/site/values.ts'
import { exampleLeads, exampleReceipt, exampleWarning } from '../facts/examples.ts'
import type { HeaderName } from '../facts/headers.ts'
import { aliasCodes, rateHeaders, submissionCodes } from '../facts/operations.ts'
import { firstSample } from '../facts/samples.ts'
import { answerHeaders, createProblemResponses, type Family, headerRefs, problemRefs } from './responses.ts'
import { type JsonObject, ref } from './schema-parts.ts'

/** A quoted string of 1 to 255 characters, or a bare key (src/lead/idempotency-key.ts). */
const keyPattern = String.raw`^(?:"(?:[ !#-\[\]-~]|\\["\\]){1,255}"|[!#-+\--:<-\[\]-~]{1,255})$`

/** `POST /api/v1/leads`. */
export function submission(): JsonObject {
  const { language, label, source } = firstSample()
  return {
    operationId: 'submitLead',
    tags: ['Leads'],
    summary: 'Submit a quote request or a contact message',
    description: [
      'Call this when an adult customer has asked this business to contact them, has given these details for that purpose and, for a quote request, has agreed to the consent wording. One call makes one lead.',
      "Do not call it to test an integration, to get information yourself (a customer's question goes as a contact message), because you guess what a customer might want, or again after a 200 or 201.",
      'A lead is durable once 201 is sent.{{#duplicateHours}} The same content within {{duplicateHours}}, with or without a key, makes no second lead: 200 with the first receipt. `consentTimestamp` and `pageUrl` do not count as content.{{/duplicateHours}} An `Idempotency-Key` is remembered for {{keyHours}}; a refused submission does not use it up.',
      'No price is given, and a receipt is not a booking: the business contacts the customer. Keep the `id` for the customer. After no answer, 408, 429 or a 5xx, wait `Retry-After` seconds (2 if it is absent, as with `internal_error`), then send the identical body again with the same key. After three attempts, stop, tell the customer, and give them {{phone}}.',
      specialCases.map((text) => `- ${text}`).join('\n'),
    ].join('\n\n'),
    security: [{}],
    parameters: [idempotencyKey],
    requestBody: ref('requestBodies', 'Lead'),
    'x-codeSamples': [{ lang: language, label, source }],
    responses: { ...receiptRefs, ...problemRefs(leadFamily) },
  }
}

/** What llms.txt and the reference say too. */
const specialCases = [
  'A phone number with another country code, canceling or changing a request, booking or visit (or its date), a status question, an erasure, a correction or a withdrawal of consent: give the customer {{phone}} and {{email}}.',
  'A customer who does not agree to the wording, refuses calls, texts or e-mail, or cannot say yes to you themselves (a surprise for a neighbor): submit nothing, not even a message. Give them {{phone}}.',
  'A studio: `bedrooms` is `"0"`. Several homes: one lead each, with the address that tells them apart in `notes`. Nothing more to say: `notes` may be "No further details". If the customer needs another language, say so in `notes` (or `message`).',
  'Leave out payment data (a card number is refused), passwords, access codes, and health details that the cleaners do not need.',
  'You may translate the consent wording for the customer, with its whole meaning.',
]

/** `POST /api/leads`, the deprecated alias. */
export function aliasSubmission(): JsonObject {
  return {
    operationId: 'submitLeadByAlias',
    tags: ['Leads'],
    summary: 'Submit a lead (deprecated alias)',
    description: `The same as \`POST ${leadsPath}\`, kept for older website forms of the business. New callers use \`${leadsPath}\`. Every answer says since when it is deprecated and links to the successor and to the policy. At least 365 days of notice are given before it is removed.`,
    deprecated: true,
    security: [{}],
    parameters: [idempotencyKey],
    requestBody: ref('requestBodies', 'Lead'),
    responses: {
      ...receiptRefs,
      201: ref('responses', 'AliasStored'),
      ...problemRefs(leadFamily),
      ...problemRefs(aliasFamily),
    },
  }
}

/** The headers of all answers to a submission. */
const submissionHeaders: readonly HeaderName[] = [...answerHeaders, ...rateHeaders]
const aliasHeaders: readonly HeaderName[] = [...submissionHeaders, 'Deprecation', 'Sunset', 'Link']

const leadFamily: Family = { prefix: 'Lead', codes: submissionCodes, headers: rateHeaders }
/** What the alias has of its own. */
const aliasFamily: Family = { prefix: 'Alias', codes: aliasCodes, headers: aliasHeaders }

const receiptContent = (schema: string, name: string, summary: string, value: JsonObject): JsonObject => ({
  'application/json': { schema: ref('schemas', schema), examples: { [name]: { summary, value } } },
})

/** The answer to an existing lead. */
function duplicateResponse(headers: readonly HeaderName[]): JsonObject {
  return {
    description: 'The same content was submitted earlier. This is its first receipt; there is no second lead.',
    headers: headerRefs(headers),
    content: receiptContent('DuplicateReceipt', 'duplicate', 'Submitted before', {
      ...exampleReceipt,
      duplicate: true,
    }),
  }
}

/** The answer to a new lead. */
function storedResponse(headers: readonly HeaderName[]): JsonObject {
  return {
    description: 'The lead is stored. Also the answer to a repeated `Idempotency-Key`, with the first receipt.',
    headers: headerRefs([...headers, 'Idempotency-Replayed']),
    content: receiptContent('Receipt', 'stored', 'Stored', exampleReceipt),
  }
}

const receiptRefs: JsonObject = { 200: ref('responses', 'LeadDuplicate'), 201: ref('responses', 'LeadStored') }

const idempotencyKey: JsonObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Names this submission, as a structured-field string of 1 to 255 characters (in double quotes; a bare key is taken too). Make a new one for each lead, such as a random UUID, and send the same one when you repeat the lead. Remembered for {{keyHours}}.',
  schema: { type: 'string', minLength: 1, maxLength: 512, pattern: keyPattern },
}

/** The request body of a lead path. */
export function requestBody(): JsonObject {
  const about = exampleWarning.replaceAll('`', '')
  const required = leadRules.quote.filter((rule) => rule.required).map(({ name }) => name)
  const smallest = Object.fromEntries(Object.entries(exampleLeads.quote).filter(([name]) => required.includes(name)))
  return {
    required: true,
    description: `One JSON object in UTF-8, at most ${grouped(bodyMaxBytes)} bytes. In the examples: ${about}`,
    content: {
      'application/json': {
        schema: ref('schemas', 'Lead'),
        examples: {
          quote: { summary: 'Quote request', value: smallest },
          contact: { summary: 'Contact message', value: exampleLeads.support },
        },
      },
    },
  }
}

/** Shared answers, which all lead paths reference. */
export function createSubmissionResponses(): Record<string, JsonObject> {
  return {
    LeadDuplicate: duplicateResponse(submissionHeaders),
    LeadStored: storedResponse(submissionHeaders),
    ...createProblemResponses(leadFamily),
    AliasStored: storedResponse(aliasHeaders),
    ...createProblemResponses(aliasFamily),
  }
}
