import { bodyMaxBytes } from '../../../src/rest/body.ts'
import { amount } from '../../../src/site/values.ts'

/** All the limits of the public contract (docs/specification.md §0, §6, §7), in Markdown. */
export const limits: readonly [name: string, value: string, meaning: string][] = [
  ['Request body', amount(bodyMaxBytes, 'byte'), 'A longer body is `body_too_large`.'],
  [
    'Request rate',
    '{{rate}}',
    'Per address: a hosted agent shares it with others that send from there. Every `POST` counts, valid or not; reading does not. Any further one is `rate_limited`.',
  ],
  ['Idempotency-Key', '255 characters', '1 to 255 printable ASCII characters.'],
  ['Idempotency-Key retention', '{{keyHours}}', 'How long a repeated key returns the first receipt.'],
  [
    'Duplicate window',
    '{{#duplicateHours}}{{duplicateHours}}{{/duplicateHours}}{{^duplicateHours}}none{{/duplicateHours}}',
    '{{#duplicateHours}}How long the same content, without a key, returns the first receipt.{{/duplicateHours}}{{^duplicateHours}}Without a key, the same content always makes a new lead.{{/duplicateHours}}',
  ],
  [
    'Notice before a removal',
    '365 days',
    'The least time between the announcement and the removal of a public version.',
  ],
]
