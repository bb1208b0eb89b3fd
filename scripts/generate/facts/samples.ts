import { STATUS_CODES } from 'node:http'
import { checkLead } from '../../../src/lead/check.ts'
import { LeadError } from '../../../src/lead/error.ts'
import { problemMediaType } from '../../../src/problem/document.ts'
import { readContent } from '../content.ts'
import { fence } from '../markdown.ts'
import { exampleReceipt, showJson } from './examples.ts'
import { type HeaderName, headerFact } from './headers.ts'
import { rateHeaders } from './operations.ts'
import { renderExample } from './problem-examples.ts'

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

const read = (file: string) => readContent(`samples/${file}`).replaceAll('https://api.example.org', '{{baseUrl}}')

/** A submission in every language. */
export function samples(kind: keyof typeof files): string {
  return files[kind].map(([language, label, file]) => fence(language, label, read(file))).join('\n\n')
}

/** The shortest sample. */
export function firstSample(): { language: string; label: string; source: string } {
  const [language, label, file] = files.quote[0]
  return { language, label, source: read(file) }
}

/** The body of a sample. */
export function placeholders(file: 'quote.sh' | 'message.sh'): string {
  const [body] = /\{\n[\s\S]*\n\}/.exec(readContent(`samples/${file}`)) ?? []
  if (!body) throw new Error(`no body in ${file}`)
  return body
}

/** The service's real answer to the unmodified sample. */
export function placeholderAnswer(): string {
  try {
    checkLead(JSON.parse(placeholders('quote.sh')), { nowMs: 0, acceptTestLeads: true })
  } catch (error) {
    if (!(error instanceof LeadError)) throw error
    const { code, message: detail, faults } = error
    if (code !== 'validation_failed' && code !== 'consent_required') throw error
    // The complete list would be too long to read.
    const problem = renderExample({ code, detail, faults: faults.slice(0, 2) })
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
  label: string,
  { status = '201 Created', headers = [], more = {} }: { status?: string; headers?: HeaderName[]; more?: object } = {},
): string {
  const names: readonly HeaderName[] = [...headers, ...rateHeaders, 'X-Request-Id']
  const lines = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    ...names.map((name) => `${name}: ${headerFact(name).example}`),
    '',
    showJson({ ...exampleReceipt, ...more }),
  ]
  return fence('http', label, lines.join('\n'))
}
