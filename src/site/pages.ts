import { STATUS_CODES } from 'node:http'
import { consentRule } from '../lead/wording.ts'
import { problemRow } from '../problem/document.ts'
import { type ProblemCode, problemCodes, type Retry } from '../problem/table.ts'
import { aliasPath, apiRootPath, apiVersion, leadsPath } from '../public-paths.ts'
import type { DiscoveryContext } from './context.ts'
import type { Document } from './document.ts'
import { longDate } from './facts/dates.ts'
import { amount, grouped, rateText } from './facts/limits.ts'
import { exampleProblemAnswer } from './facts/problem-examples.ts'
import { firstSample, placeholderAnswer, receiptAnswer, samples } from './facts/samples.ts'
import * as tables from './facts/tables.ts'
import { readText } from './files.ts'
import { fill, type Values } from './fill.ts'
import { codes, escapeMarkdown, fence, Markdown, mailLink, phoneLink } from './markdown.ts'
import { createPage } from './page.ts'

/** All pages for people. */
export function createPages(context: DiscoveryContext): Document[] {
  const page = (path: string, more: () => Values = () => ({})) =>
    createPage(
      {
        path,
        template: () => readText(`content${path}.md`),
        values: () => ({ ...settingValues(context), ...more() }),
      },
      context,
    )
  return [
    ...page('/developers', () => overviewValues(context)),
    ...page('/api-docs', () => referenceValues(context)),
    ...page('/terms'),
    ...page('/privacy'),
    ...page('/problems', problemIndexValues),
    ...problemCodes.flatMap((code) =>
      createPage(
        {
          path: `/problems/${code}`,
          template: () => readText('content/problem.md'),
          values: () => problemValues(code, context),
        },
        context,
      ),
    ),
  ]
}

/** Values that every page may use: the business, and this deployment's settings. */
export function settingValues(context: DiscoveryContext): Values {
  const { business, policy, legacy, retentionDays, now } = context
  const { wording, statement } = context.consent
  const { deprecatedAt, sunset } = legacy
  const removed = sunset && now() >= sunset.at.getTime()
  return {
    baseUrl: context.baseUrl,
    version: apiVersion,
    apiRoot: apiRootPath,
    aliasSuccessor: leadsPath,
    host: new URL(context.baseUrl).host,
    business: business.name,
    serviceArea: business.serviceArea,
    postalAddress: business.postalAddress,
    serviceProviders: business.serviceProviders,
    backups: business.backupDays === undefined ? undefined : amount(business.backupDays, 'day'),
    phone: phoneLink(business.phone),
    email: mailLink(business.email),
    wording: wording.text,
    wordingVersion: wording.version,
    wordingDate: dateOf(wording.version),
    wordingHash: wording.sha256,
    statement: new Markdown(statement.text),
    consentRule: new Markdown(consentRule),
    rate: rateText(context),
    limit: policy.limit,
    overLimit: policy.limit + 1,
    burst: 2 * policy.limit - 1,
    window: amount(policy.windowSeconds, 'second'),
    bodyBytes: grouped(context.bodyMaxBytes),
    keyHours: amount(context.keyWindowHours, 'hour'),
    duplicateHours: context.duplicateWindowHours === 0 ? undefined : amount(context.duplicateWindowHours, 'hour'),
    retention: retentionDays === undefined ? undefined : amount(retentionDays, 'day'),
    localUse: context.acceptTestLeads,
    corsOrigins: context.corsOrigins.length === 0 ? undefined : codes(context.corsOrigins),
    deprecated: longDate(deprecatedAt),
    removalAnnounced: sunset && longDate(sunset.announcedAt),
    removal: sunset && longDate(sunset.at),
    removed,
  }
}

/** Formats a version that is a date, for people. Undefined: it is not a date. */
function dateOf(version: string): string | undefined {
  return /^\d{4}-\d{2}-\d{2}$/.test(version) ? longDate(new Date(version)) : undefined
}

function overviewValues(context: DiscoveryContext): Values {
  return {
    sample: firstSample(context),
    placeholderAnswer: placeholderAnswer(context),
    receipt: receiptAnswer(context, 'Answer to a real lead'),
  }
}

function referenceValues(context: DiscoveryContext): Values {
  return {
    samples: samples('quote', context),
    messageSample: samples('message', context),
    placeholderAnswer: placeholderAnswer(context),
    receipt: receiptAnswer(context, 'Stored'),
    replayed: receiptAnswer(context, 'The same key again', { headers: ['Idempotency-Replayed'] }),
    duplicate: receiptAnswer(context, 'The same content again', { status: '200 OK', more: { duplicate: true } }),
    fieldErrors: fence('http', 'Two fields at fault', exampleProblemAnswer('validation_failed', context)),
    overLimitAnswer: fence('http', 'Over the limit', exampleProblemAnswer('rate_limited', context)),
    endpoints: tables.endpointTable(),
    quoteFields: tables.fieldEntries('quote'),
    messageFields: tables.fieldEntries('support'),
    testData: tables.testDataTable(),
    problemCodes: tables.problemTable(),
    fieldCodes: tables.faultTableOf(),
    limits: tables.limitTable(context),
    requestHeaders: tables.headerEntries('caller', context),
    responseHeaders: tables.headerEntries('service', context),
    aliasHeaders: fence('http', `On every answer of ${aliasPath}`, aliasHeaders(context)),
  }
}

function aliasHeaders({ baseUrl, legacy: { deprecatedAt, sunset } }: DiscoveryContext): string {
  const policy = (rel: string) => `<${baseUrl}/api-docs#deprecation>; rel="${rel}"; type="text/html"`
  const links = [`<${baseUrl}${leadsPath}>; rel="successor-version"`, policy('deprecation')]
  if (sunset) links.push(policy('sunset'))
  return [
    `Deprecation: @${Math.floor(deprecatedAt.getTime() / 1000)}`,
    ...(sunset ? [`Sunset: ${sunset.at.toUTCString()}`] : []),
    `Link: ${links.join(',\n  ')}`,
  ].join('\n')
}

/** The groups of the index, by who can fix the problem. */
function problemIndexValues(): Values {
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
function problemValues(code: ProblemCode, context: DiscoveryContext): Values {
  const { title, detail, status, retry, hint } = problemRow(code)
  return {
    title,
    detail,
    code: new Markdown(`\`${code}\``),
    status: `${status} ${STATUS_CODES[status]}`,
    tryAgain: tryAgain[retry],
    hint: new Markdown(hint),
    note: new Markdown(fill(readText(`content/problems/${code}.md`).trimEnd(), settingValues(context), escapeMarkdown)),
    fieldCodes: tables.faultTableOf(code),
    answer: fence('http', 'Answer', exampleProblemAnswer(code, context)),
  }
}
