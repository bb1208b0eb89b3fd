import type { JsonObject } from './json.ts'

/** A text from the service. The bound is far above the length of any answer. */
export const text = (description: string, maxLength: number, more: JsonObject = {}): JsonObject => ({
  type: 'string',
  description,
  maxLength,
  ...more,
})

export const url = (description: string, more: JsonObject = {}) => text(description, 2048, { format: 'uri', ...more })

/** A known code. More may be added, so clients must accept unknown ones. */
export const openCode = (description: string, codes: readonly string[]): JsonObject => ({
  type: 'string',
  description,
  maxLength: 100,
  'x-extensible-enum': [...codes],
})

export function consentSchema(description: string): JsonObject {
  return {
    type: 'object',
    description,
    required: ['version', 'wording', 'url'],
    properties: {
      version: text('The version of the wording.', 100),
      wording: text('The current wording. Tell it to the customer.', 10_000),
      url: url('Where the wording is published.'),
    },
  }
}
