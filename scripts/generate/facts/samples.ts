import { checkLead } from '../../../src/lead/check.ts'
import { LeadError } from '../../../src/lead/error.ts'
import { problemMediaType } from '../../../src/problem/document.ts'
import { readContent } from '../content.ts'
import { fence } from '../markdown.ts'
import { exampleReceipt, showAnswer } from './examples.ts'
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
      showAnswer(422, problemMediaType, [], problem),
    )
  }
  throw new Error('the unchanged sample is a valid lead')
}

/** A complete answer to an accepted submission, as sent over HTTP. */
export function receiptAnswer(
  label: string,
  { status = 201, headers = [], more = {} }: { status?: number; headers?: HeaderName[]; more?: object } = {},
): string {
  const fields = [...headers, ...rateHeaders, 'X-Request-Id' as const].map(
    (name) => [name, headerFact(name).example] as const,
  )
  const body = { ...exampleReceipt, ...more }
  return fence('http', label, showAnswer(status, 'application/json; charset=utf-8', fields, body))
}
