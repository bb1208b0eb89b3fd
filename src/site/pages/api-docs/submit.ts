import { faultTable } from '../../../lead/fault-table.ts'
import { freeTextField } from '../../../lead/rules.ts'
import { code, codes, plain, prose } from '../../content/markdown.ts'
import { type Entry, list, note, paragraph, type Section } from '../../content/page.ts'
import type { DiscoveryContext } from '../../context.ts'
import { receiptAnswer } from '../../facts/code-examples.ts'
import { exampleLeads, exampleWarning, showJson } from '../../facts/examples.ts'
import { type KindFact, kindFacts, kindSelector } from '../../facts/fields.ts'

const introductions = {
  quote:
    'A customer wants to know what a cleaning would cost. This is the kind that is meant when `formType` is absent.',
  support:
    'A prospective or existing customer has a question or needs help. It has no consent field: the message itself asks for an answer.',
} as const

/** The fields of both kinds, how values are read, and what comes back. */
export function submitSection(context: DiscoveryContext): Section {
  return {
    id: 'submit',
    title: 'Submit a lead',
    blocks: [
      paragraph(
        prose(
          '`POST /api/v1/leads` takes one JSON object: a quote request, or a contact message when `formType` is `support`. The lead is durable before the answer is sent.',
        ),
      ),
    ],
    sections: [...kindFacts.map(kindSection), valuesSection(), testDataSection(context), receiptSection(context)],
  }
}

function kindSection({ kind, title, fields }: KindFact): Section {
  const selector: Entry = {
    id: `${kind}-${kindSelector.name}`,
    name: kindSelector.name,
    tags: ['string', kind === 'quote' ? 'optional' : 'required'],
    body: [prose(kindSelector.description[kind])],
  }
  return {
    id: kind === 'quote' ? 'quote-request' : 'contact-message',
    title,
    blocks: [
      paragraph(prose(introductions[kind])),
      {
        kind: 'entries',
        items: [
          selector,
          ...fields.map((field) => ({
            id: `${kind}-${field.name}`,
            name: field.name,
            tags: [field.type, field.required ? 'required' : 'optional'],
            body: [prose(field.description)],
          })),
        ],
      },
    ],
    examples: [
      { kind: 'code', language: 'json', label: title, source: showJson(exampleLeads[kind]) },
      note('Do not send this.', prose(exampleWarning)),
    ],
  }
}

function valuesSection(): Section {
  return {
    id: 'values',
    title: 'How values are read',
    blocks: [
      list(
        prose('White space around a value is removed first. What is empty then counts as missing.'),
        prose('Lengths are in Unicode characters, not in bytes.'),
        prose(
          'Control characters are refused, but for line breaks and tabs in {{long}}. NUL and unpaired surrogates are refused everywhere.',
          { long: codes(Object.values(freeTextField)) },
        ),
        prose('Counts such as `bedrooms` are text: `"3"`, not `3`.'),
        prose(
          'Unknown members are refused with {{code}}, so that nothing a customer said is dropped in silence. Put such information into {{quote}} or {{support}}.',
          { code: code('unknown_field'), quote: code(freeTextField.quote), support: code(freeTextField.support) },
        ),
        prose('A member name that occurs twice is refused, as is text that is not UTF-8.'),
        prose('`null` is a value, not an absence: leave an optional field out instead.'),
      ),
    ],
  }
}

function testDataSection({ acceptTestLeads }: DiscoveryContext): Section {
  const rows = (['reserved_domain', 'reserved_phone', 'unassignable_phone'] as const).map((name) => [
    code(name),
    plain(`The value ${faultTable[name].detail}.`),
  ])
  return {
    id: 'test-data',
    title: 'Test data',
    blocks: [
      paragraph(
        prose(
          'There is no sandbox, and test leads must not be submitted: people read every lead. Contact details that registries have set aside, or that nobody can have, are refused with {{code}}.',
          { code: code('test_lead_rejected') },
        ),
      ),
      { kind: 'table', caption: 'Why contact details are refused as test data', head: ['Code', 'Meaning'], rows },
      ...(acceptTestLeads
        ? [
            note(
              'This deployment is for local use.',
              prose(
                'It is configured to let reserved test data through, so the examples on this page work here as they stand.',
              ),
            ),
          ]
        : []),
    ],
  }
}

function receiptSection(context: DiscoveryContext): Section {
  return {
    id: 'receipt',
    title: 'The receipt',
    blocks: [
      {
        kind: 'entries',
        items: [
          {
            id: 'receipt-id',
            name: 'id',
            tags: ['string'],
            body: [prose('The id of the lead: a UUID version 7. Keep it if the customer may ask about the request.')],
          },
          {
            id: 'receipt-formType',
            name: 'formType',
            tags: ['string'],
            body: [prose('The kind of the lead: `quote` or `support`.')],
          },
          {
            id: 'receipt-receivedAt',
            name: 'receivedAt',
            tags: ['string'],
            body: [prose('When the service received the lead, in UTC.')],
          },
          {
            id: 'receipt-duplicate',
            name: 'duplicate',
            tags: ['boolean', 'with 200'],
            body: [prose('`true` when the same content came before. See [duplicates](#duplicates).')],
          },
        ],
      },
      paragraph(
        prose(
          'There is no address for a lead: it cannot be read, changed or followed through this API. Nothing is delivered to you later. The business answers the customer.',
        ),
      ),
    ],
    examples: [
      { kind: 'code', language: 'http', label: 'Stored', source: receiptAnswer(context, { status: '201 Created' }) },
    ],
  }
}
