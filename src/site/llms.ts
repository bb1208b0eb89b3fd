import { faultCodes } from '../lead/fault-table.ts'
import type { LeadKind } from '../lead/submission.ts'
import { problemRow } from '../problem/document.ts'
import { problemCodes } from '../problem/table.ts'
import type { DiscoveryContext } from './context.ts'
import type { Document } from './document.ts'
import { limitFacts } from './facts/limits.ts'
import { placeholders, receiptAnswer } from './facts/samples.ts'
import { fieldEntries } from './facts/tables.ts'
import { readText } from './files.ts'
import { fill, type Values } from './fill.ts'
import { settingValues } from './pages.ts'

/** `/llms.txt` (llmstxt.org): a heading, a summary, prose without headings, then sections that are lists of links. */
export function createLlmsTxt(context: DiscoveryContext): Document {
  return {
    path: '/llms.txt',
    contentType: 'text/plain; charset=utf-8',
    // Plain text needs no escaping.
    render: () => fill(readText('content/llms.md'), llmsValues(context), (text) => text),
    readableAnywhere: true,
  }
}

const unanchored = ({ source }: { source: string }) => source.replace(/ \{#[^}]*\}$/gm, '')
const unescaped = ({ source }: { source: string }) => source.replace(/\\/g, '')

function llmsValues(context: DiscoveryContext): Values {
  const quoteFields = shortFields('quote')
  return {
    ...settingValues(context),
    phone: context.business.phone,
    email: context.business.email,
    body: placeholders('quote.sh'),
    message: placeholders('message.sh'),
    receipt: unanchored(receiptAnswer(context, 'Answer'))
      .replace('```http Answer', '```http')
      .replace(/^(?:RateLimit|X-).*\n/gm, ''),
    quoteFields,
    messageFields: messageFields(quoteFields),
    limits: limitFacts(context)
      .map(({ id, name, value, meaning }) => {
        const needsMeaning = id === 'limit-body' || id === 'limit-rate'
        return `- ${name}: ${value}.${needsMeaning ? ` ${unescaped(meaning)}` : ''}`
      })
      .join('\n'),
    problems: codesByStatus(),
    faultCodes: faultCodes.map((code) => `\`${code}\``).join(', '),
  }
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
