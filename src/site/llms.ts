import { faultCodes } from '../lead/fault-table.ts'
import { problemRow } from '../problem/document.ts'
import { problemCodes } from '../problem/table.ts'
import type { DiscoveryContext } from './context.ts'
import type { Document } from './document.ts'
import { headerFact, headerNames } from './facts/headers.ts'
import { limitFacts } from './facts/limits.ts'
import { quotePlaceholders, receiptAnswer } from './facts/samples.ts'
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
  const names = (sentBy: 'caller' | 'service') =>
    headerNames
      .filter((name) => headerFact(name).sentBy === sentBy)
      .map((name) => `\`${name}\``)
      .join(', ')
  const quoteFields = unanchored(fieldEntries('quote'))
  return {
    ...settingValues(context),
    phone: context.business.phone,
    email: context.business.email,
    body: quotePlaceholders(),
    receipt: unanchored(receiptAnswer(context, 'Answer')).replace('```http Answer', '```http'),
    quoteFields,
    messageFields: messageFields(quoteFields),
    limits: limitFacts(context)
      .map(({ name, value, meaning }) => `- ${name}: ${value}. ${unescaped(meaning)}`)
      .join('\n'),
    problems: problemCodes
      .map((code) => ({ code, row: problemRow(code) }))
      .map(({ code, row }) => `- \`${code}\` (${row.status}${row.retryable ? ', retry later' : ''}): ${row.title}`)
      .join('\n'),
    faultCodes: faultCodes.map((code) => `\`${code}\``).join(', '),
    headers: `- You send: ${names('caller')}\n- You get: ${names('service')}`,
  }
}

/** The fields of a contact message. Fields that are the same as in a quote request refer to it. */
function messageFields(quoteFields: string): string {
  const known = quoteFields.split('\n')
  return unanchored(fieldEntries('support'))
    .split('\n')
    .map((line) => (known.includes(line) ? line.replace(/: .*/, ': as above') : line))
    .join('\n')
}
