import { STATUS_CODES } from 'node:http'
import { checkLead } from '../../lead/check.ts'
import { LeadError } from '../../lead/error.ts'
import { createConsentNotice } from '../../problem/consent-notice.ts'
import { createProblemRenderer, problemMediaType } from '../../problem/document.ts'
import { leadsPath } from '../../public-paths.ts'
import type { DiscoveryContext } from '../context.ts'
import { readText } from '../files.ts'
import { blocks, fence, type Markdown } from '../markdown.ts'
import { exampleReceipt, exampleRequestId, showJson } from './examples.ts'
import type { HeaderName } from './headers.ts'
import { rateHeaders } from './operations.ts'
import { exampleHeader } from './problem-examples.ts'

/** The sample files. Each runs once its placeholders are replaced. */
const files = {
  quote: [
    ['sh', 'curl', 'quote.sh'],
    ['ts', 'TypeScript', 'quote.ts'],
    ['python', 'Python', 'quote.py'],
    ['php', 'WordPress', 'quote.php'],
  ],
  message: [['sh', 'curl', 'message.sh']],
} as const

const read = ({ baseUrl }: DiscoveryContext, file: string) =>
  readText(`content/samples/${file}`)
    .replaceAll('/api/v1/leads', leadsPath)
    .replaceAll('https://api.example.org', baseUrl)

/** A submission in every language. */
export function samples(kind: keyof typeof files, context: DiscoveryContext): Markdown {
  return blocks(...files[kind].map(([language, label, file]) => fence(language, label, read(context, file))))
}

/** The same samples as plain text. */
export function sampleSources(context: DiscoveryContext): { language: string; label: string; source: string }[] {
  return files.quote.map(([language, label, file]) => ({ language, label, source: read(context, file) }))
}

/** The shortest sample. */
export function firstSample(context: DiscoveryContext): Markdown {
  const [language, label, file] = files.quote[0]
  return fence(language, label, read(context, file))
}

/** The body of a sample. */
export function placeholders(file: 'quote.sh' | 'message.sh'): string {
  const [body] = /\{\n[\s\S]*\n\}/.exec(readText(`content/samples/${file}`)) ?? []
  if (!body) throw new Error(`no body in ${file}`)
  return body
}

/** The service's real answer to the unmodified sample. */
export function placeholderAnswer(context: DiscoveryContext): Markdown {
  try {
    checkLead(JSON.parse(placeholders('quote.sh')), { nowMs: context.now(), acceptTestLeads: true })
  } catch (error) {
    if (!(error instanceof LeadError)) throw error
    const { code, message: detail, faults } = error
    if (code !== 'validation_failed' && code !== 'consent_required') throw error
    const render = createProblemRenderer(context.baseUrl, createConsentNotice(context.baseUrl, context.consent))
    // The complete list would be too long to read.
    const problem = JSON.parse(render({ code, detail, faults: faults.slice(0, 2), requestId: exampleRequestId }))
    return fence(
      'http',
      `Answer to the unchanged sample (the first two of its ${faults.length} errors)`,
      `HTTP/1.1 422 ${STATUS_CODES[422]}\nContent-Type: ${problemMediaType}\n\n${showJson(problem)}`,
    )
  }
  throw new Error('the unchanged sample is a valid lead')
}

/** A complete answer to an accepted submission, as sent over HTTP. */
export function receiptAnswer(
  context: DiscoveryContext,
  label: string,
  { status = '201 Created', headers = [], more = {} }: { status?: string; headers?: HeaderName[]; more?: object } = {},
): Markdown {
  const names: readonly HeaderName[] = [...headers, ...rateHeaders, 'X-Request-Id']
  const lines = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    ...names.map((name) => `${name}: ${exampleHeader(name, context)}`),
    '',
    showJson({ ...exampleReceipt, ...more }),
  ]
  return fence('http', label, lines.join('\n'))
}
