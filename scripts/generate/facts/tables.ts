import type { LeadKind } from '../../../src/lead/submission.ts'
import { type ProblemCode, problemCodes, problemTable as problems } from '../../../src/problem/table.ts'
import { escapeMarkdown } from '../../../src/site/values.ts'
import { fillWords } from '../../../src/template.ts'
import { faults } from '../../../src/words/faults.ts'
import { wordingPlaces } from '../../../src/words/problems.ts'
import { kindFacts, kindSelector } from './fields.ts'
import { headers } from './headers.ts'

/** All codes of `errors`, in the order of the table. */
export const faultCodes = Object.keys(faults) as (keyof typeof faults)[]

/** A table. Escapes `|` in cells. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replace(/(?<!\\)\|/g, '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** The fields of a kind of lead. */
export function fieldEntries(kind: LeadKind): string {
  const { name, description } = kindSelector
  const selector = { name, type: 'string', required: kind === 'support', description: description[kind] }
  return [selector, ...kindFacts[kind].fields]
    .map(({ name, required, description }) => `- \`${name}\`${required ? '' : ' (optional)'}: ${description}`)
    .join('\n')
}

/** The headers that the service sends. */
export function headerTable(): string {
  const rows = Object.entries(headers).map(([name, { description, sent }]) => [`\`${name}\``, description, sent])
  return table(['Header', 'Meaning', 'On'], rows)
}

const codeLink = (name: ProblemCode) => `[\`${name}\`](/problems/${name})`

/** The codes whose status passes the test, and their meaning. The page of each says what to do. */
export function problemTitles(has: (status: number) => boolean): string {
  const rows = problemCodes
    .filter((name) => has(problems[name].status))
    .map((name) => [codeLink(name), String(problems[name].status), escapeMarkdown(problems[name].title)])
  return table(['Code', 'Status', 'What it means'], rows)
}

const freeText = '`notes` (quote request) or `message` (contact message)'

/** A text as REST's callers read it, of any field. Left to fill is `{{contact}}`. */
export const forRest = (text: string) => fillWords(text, { wordingPlace: wordingPlaces.rest, freeText, max: 'N' })

const testDataCodes: readonly string[] = ['reserved_domain', 'reserved_phone', 'unassignable_phone', 'placeholder']

/** The codes of `errors` that a problem has, and what to do. Empty: it has none. */
export function faultTableOf(problem: ProblemCode): string {
  const listed = faultCodes.filter((name) => {
    const isTestData = testDataCodes.includes(name)
    if (problem === 'test_lead_rejected') return isTestData
    if (problem === 'validation_failed') return !isTestData
    return problem === 'consent_required' && name === 'consent_required'
  })
  if (listed.length === 0) return ''
  const rows = listed.map((name) => [
    `\`${name}\``,
    escapeMarkdown(forRest(faults[name].detail)),
    forRest(faults[name].hint),
  ])
  return table(['Code', 'The value', 'What to do'], rows)
}
