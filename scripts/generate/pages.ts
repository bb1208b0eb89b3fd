import { STATUS_CODES } from 'node:http'
import type { LeadKind } from '../../src/lead/submission.ts'
import { type ProblemCode, problemCodes, problemTable, type Retry } from '../../src/problem/table.ts'
import { escapeMarkdown } from '../../src/site/values.ts'
import { fillContent, withoutTagBullets } from './content.ts'
import { placeholderAnswer, problemAnswer, receiptAnswer, sampleBody } from './facts/examples.ts'
import * as tables from './facts/tables.ts'

const { count, answer: placeholderText } = placeholderAnswer()
const shortQuoteFields = shortFields('quote')

/** What pages and llms.txt take from tables and examples. */
const values = {
  receipt: receiptAnswer,
  placeholderAnswer: placeholderText,
  placeholderFaults: String(count),
  problemCodes: tables.problemTitles(() => true).replace(/\[(`\w+`)\]\([^)]*\)/g, '$1'),
  responseHeaders: tables.headerTable(),
  // The groups of the index, by who can fix the problem.
  requestProblems: tables.problemTitles((status) => status < 422 || status === 431),
  leadProblems: tables.problemTitles((status) => status === 422),
  laterProblems: tables.problemTitles((status) => status === 429 || status >= 500),
  quoteBody: sampleBody(),
  shortQuoteFields,
  // Agents have no page to name, and llms.txt says above what consent is.
  agentQuoteFields: shortQuoteFields
    .replace(/^- `pageUrl`.*\n?/m, '')
    .replace(/(?<=^- `communicationsConsent`: ).*/m, '`true`, as said above.')
    .replace('Leave out unless you know the exact time. ', '')
    .trimEnd(),
  shortMessageFields: shortFields('support', shortQuoteFields.split('\n')),
  faultCodes: tables.faultCodes.map((code) => `\`${code}\``).join(', '),
}

/** The fields. Those that are known are only named. */
function shortFields(kind: LeadKind, known: readonly string[] = []): string {
  const entries = tables.fieldEntries(kind)
  const isKnown = (line: string) => known.includes(line)
  const names = entries
    .split('\n')
    .filter(isKnown)
    .map((line) => line.replace(/^- |: .*/g, ''))
  const own = entries.split('\n').filter((line) => !isKnown(line))
  return [...own, ...(names.length > 0 ? [`- ${names.join(', ')}: as above.`] : [])].join('\n')
}

/** `/llms.txt` (llmstxt.org), with placeholders for what a deployment sets. */
export const createLlmsTxt = () => withoutTagBullets(fillContent('llms.md', values))

/** The Markdown of a page, with the same placeholders. */
export function createPage(path: string): string {
  const code = problemCodes.find((one) => path === `/problems/${one}`)
  return code ? fillContent('problem.md', problemValues(code)) : fillContent(`${path.slice(1)}.md`, values)
}

/** A problem page's text about sending the request again. */
const tryAgain = {
  never: 'No: the same request will fail again.',
  after_correction: 'Only after a correction: the same request will fail again.',
  after_wait: 'Yes, later: the same request can succeed then.',
} as const satisfies Record<Retry, string>

/** The table row of a problem, with the hand-written note about it. */
function problemValues(code: ProblemCode) {
  const { title, detail, status, retry, hint } = problemTable[code]
  const fieldCodes = tables.faultTableOf(code)
  return {
    title: escapeMarkdown(title),
    detail: escapeMarkdown(detail),
    code: `\`${code}\``,
    status: `${status} ${STATUS_CODES[status]}`,
    tryAgain: tryAgain[retry],
    hint: tables.forRest(hint),
    note: fillContent(`problems/${code}.md`).trimEnd(),
    fieldCodes: fieldCodes && `## Codes in errors {#field-codes}\n\n${fieldCodes}`,
    answer: problemAnswer(code),
  }
}
