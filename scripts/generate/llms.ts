import { faultCodes } from '../../src/lead/fault-table.ts'
import type { LeadKind } from '../../src/lead/submission.ts'
import { problemRow } from '../../src/problem/document.ts'
import { problemCodes } from '../../src/problem/table.ts'
import { readContent } from './content.ts'
import { limits } from './facts/limits.ts'
import { placeholders, receiptAnswer } from './facts/samples.ts'
import { fieldEntries } from './facts/tables.ts'
import { bake } from './markdown.ts'
import { sharedValues } from './pages.ts'

const unanchored = (text: string) => text.replace(/ \{#[^}]*\}$/gm, '')

/** `/llms.txt` (llmstxt.org): a heading, a summary, prose without headings, then sections that are lists of links. */
export function createLlmsTxt(): string {
  const quoteFields = shortFields('quote')
  return bake(readContent('llms.md'), {
    ...sharedValues,
    body: placeholders('quote.sh'),
    message: placeholders('message.sh'),
    receipt: unanchored(receiptAnswer('Answer'))
      .replace('```http Answer', '```http')
      .replace(/^(?:RateLimit|X-).*\n/gm, ''),
    quoteFields,
    messageFields: messageFields(quoteFields),
    limits: limits
      .map(([name, value, meaning]) => `- ${name}: ${value}.${name.startsWith('Request') ? ` ${meaning}` : ''}`)
      .join('\n'),
    problems: codesByStatus(),
    faultCodes: faultCodes.map((code) => `\`${code}\``).join(', '),
  })
}

/** The fields without the characters that they refuse, which the page lists once. */
function shortFields(kind: LeadKind): string {
  return unanchored(fieldEntries(kind)).replace(/,? (?:no )?control characters.*$/gm, '.')
}

/** A line for each status, such as `422: the codes`. */
function codesByStatus(): string {
  const statuses = Map.groupBy(problemCodes, (code) => problemRow(code).status)
  return Array.from(statuses, ([status, codes]) => {
    const later = codes.every((code) => problemRow(code).retryable) ? ' (retry later)' : ''
    return `- ${status}${later}: ${codes.map((code) => `\`${code}\``).join(', ')}`
  }).join('\n')
}

/** The fields of a contact message. Fields that are the same as in a quote request refer to it. */
function messageFields(quoteFields: string): string {
  const known = quoteFields.split('\n')
  return shortFields('support')
    .split('\n')
    .map((line) => (known.includes(line) ? line.replace(/: .*/, ': as above') : line))
    .join('\n')
}
