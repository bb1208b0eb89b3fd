import { bodyMaxBytes } from '../../../src/rest/body.ts'
import { amount } from '../../../src/site/values.ts'
import { code, Markdown, plain, prose } from '../markdown.ts'

/** A limit that callers must know. */
export interface LimitFact {
  name: string
  /** The number with its unit, the same in every document. */
  value: Markdown
  meaning: Markdown
}

/** All the limits of the public contract (docs/specification.md §0, §6, §7). */
export const limitFacts: readonly LimitFact[] = [
  {
    name: 'Request body',
    value: plain(amount(bodyMaxBytes, 'byte')),
    meaning: prose('A longer body is {{code}}.', { code: code('body_too_large') }),
  },
  {
    name: 'Request rate',
    value: new Markdown('{{rate}}'),
    meaning: prose(
      'Per address: a hosted agent shares it with all that send from there. Every `POST` counts, valid or not; reading does not. Any further one is {{code}}.',
      { code: code('rate_limited') },
    ),
  },
  {
    name: 'Idempotency-Key',
    value: plain('255 characters'),
    meaning: plain('1 to 255 printable ASCII characters.'),
  },
  {
    name: 'Idempotency-Key retention',
    value: new Markdown('{{keyHours}}'),
    meaning: plain('How long a repeated key returns the first receipt.'),
  },
  {
    name: 'Duplicate window',
    value: new Markdown(
      '{{#duplicateHours}}{{duplicateHours}}{{/duplicateHours}}{{^duplicateHours}}none{{/duplicateHours}}',
    ),
    meaning: new Markdown(
      '{{#duplicateHours}}How long the same content, without a key, returns the first receipt.{{/duplicateHours}}{{^duplicateHours}}Without a key, the same content always makes a new lead.{{/duplicateHours}}',
    ),
  },
  {
    name: 'Notice before a removal',
    value: plain('365 days'),
    meaning: plain('The least time between the announcement and the removal of a public version.'),
  },
]
