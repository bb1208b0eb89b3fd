import { STATUS_CODES } from 'node:http'
import { consentRule } from '../../src/lead/wording.ts'
import { problemRow } from '../../src/problem/document.ts'
import { type ProblemCode, problemCodes, type Retry } from '../../src/problem/table.ts'
import { aliasPath, apiRootPath, apiVersion, leadsPath } from '../../src/public-paths.ts'
import { bodyMaxBytes } from '../../src/rest/body.ts'
import { escapeMarkdown } from '../../src/site/formats.ts'
import { grouped } from '../../src/site/values.ts'
import { readContent } from './content.ts'
import { statement } from './facts/fields.ts'
import { exampleProblemAnswer } from './facts/problem-examples.ts'
import { firstSample, placeholderAnswer, receiptAnswer, samples } from './facts/samples.ts'
import * as tables from './facts/tables.ts'
import { bake, fence } from './markdown.ts'

/** The values that are the same in every deployment. */
export const sharedValues = {
  version: apiVersion,
  apiRoot: apiRootPath,
  aliasSuccessor: leadsPath,
  consentRule,
  statement,
  bodyBytes: grouped(bodyMaxBytes),
}

/** The Markdown of all pages by path, with placeholders for what a deployment sets. */
export function createPages(): Map<string, string> {
  const page = (path: string, more: Record<string, string> = {}): [string, string] => [
    path,
    bake(readContent(`${path.slice(1)}.md`), { ...sharedValues, ...more }),
  ]
  return new Map([
    page('/developers', overviewValues()),
    page('/api-docs', referenceValues()),
    page('/terms'),
    page('/privacy'),
    page('/website-forms'),
    page('/problems', problemIndexValues()),
    ...problemCodes.map((code): [string, string] => [
      `/problems/${code}`,
      bake(readContent('problem.md'), problemValues(code)),
    ]),
  ])
}

function overviewValues() {
  const { language, label, source } = firstSample()
  return {
    sample: fence(language, label, source),
    placeholderAnswer: placeholderAnswer(),
    receipt: receiptAnswer('Answer to a real lead'),
  }
}

function referenceValues() {
  return {
    samples: samples('quote'),
    messageSample: samples('message'),
    placeholderAnswer: placeholderAnswer(),
    receipt: receiptAnswer('Stored'),
    replayed: receiptAnswer('The same key again', { headers: ['Idempotency-Replayed'] }),
    duplicate: receiptAnswer('The same content again', { status: 200, more: { duplicate: true } }),
    fieldErrors: fence('http', 'Two fields at fault', exampleProblemAnswer('validation_failed')),
    overLimitAnswer: fence('http', 'Over the limit', exampleProblemAnswer('rate_limited')),
    endpoints: tables.endpointTable(),
    quoteFields: tables.fieldEntries('quote', true),
    messageFields: tables.fieldEntries('support', true),
    testData: tables.testDataTable(),
    problemCodes: tables.problemTable(),
    fieldCodes: tables.faultTableOf(),
    limits: tables.limitTable(),
    requestHeaders: tables.headerEntries('caller'),
    responseHeaders: tables.headerEntries('service'),
    aliasHeaders: fence('http', `On every answer of ${aliasPath}`, aliasHeaders),
  }
}

const policyLink = (rel: string) => `<{{baseUrl}}/api-docs#deprecation>; rel="${rel}"; type="text/html"`
const aliasHeaders = `Deprecation: @{{deprecatedSeconds}}
{{#removal}}
Sunset: {{removalHttpDate}}
{{/removal}}
Link: <{{baseUrl}}${leadsPath}>; rel="successor-version",
  ${policyLink('deprecation')}{{#removal}},
  ${policyLink('sunset')}{{/removal}}`

/** The groups of the index, by who can fix the problem. */
function problemIndexValues() {
  return {
    requestProblems: tables.problemTitles((status) => status < 422 || status === 431),
    leadProblems: tables.problemTitles((status) => status === 422),
    laterProblems: tables.problemTitles((status) => status === 429 || status >= 500),
  }
}

/** A problem page's text about sending the request again. */
const tryAgain = {
  never: 'No: the same request will fail again.',
  after_correction: 'Only after a correction: the same request will fail again.',
  after_wait: 'Yes, later: the same request can succeed then.',
} as const satisfies Record<Retry, string>

/** The table row of a problem, with the hand-written note about it. */
function problemValues(code: ProblemCode) {
  const { title, detail, status, retry, hint } = problemRow(code)
  const fieldCodes = tables.faultTableOf(code)
  return {
    title: escapeMarkdown(title),
    detail: escapeMarkdown(detail),
    code: `\`${code}\``,
    status: `${status} ${STATUS_CODES[status]}`,
    tryAgain: tryAgain[retry],
    hint,
    note: bake(readContent(`problems/${code}.md`).trimEnd(), sharedValues),
    fieldCodes: fieldCodes && `## Codes in errors {#field-codes}\n\n${fieldCodes}`,
    answer: fence('http', 'Answer', exampleProblemAnswer(code)),
  }
}
