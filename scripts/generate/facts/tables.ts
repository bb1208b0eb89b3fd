import { faultCodes, faultTable } from '../../../src/lead/fault-table.ts'
import type { LeadKind } from '../../../src/lead/submission.ts'
import { problemRow } from '../../../src/problem/document.ts'
import { type ProblemCode, problemCodes } from '../../../src/problem/table.ts'
import { aliasPath, apiRootPath, leadsPath } from '../../../src/public-paths.ts'
import { escapeMarkdown } from '../../../src/site/formats.ts'
import { type Entry, entries, table } from '../markdown.ts'
import { exampleOf } from './examples.ts'
import { kindFacts, kindSelector } from './fields.ts'
import { type HeaderFact, headerFact, headerNames } from './headers.ts'
import { limits } from './limits.ts'
import { documentOperations } from './operations.ts'

/** The fields of a kind of lead, each with its own anchor. */
export function fieldEntries(kind: LeadKind, withExamples = false): string {
  const fields = kindFacts.find((fact) => fact.kind === kind)?.fields ?? []
  const entry = (name: string, type: string, required: boolean, text: string): Entry => {
    const example = withExamples ? ` Example: \`${JSON.stringify(exampleOf(kind, name))}\`` : ''
    return { id: `${kind}-${name}`, name, tags: [type, required ? 'required' : 'optional'], text: text + example }
  }
  return entries([
    entry(kindSelector.name, 'string', kind === 'support', kindSelector.description[kind]),
    ...fields.map(({ name, type, required, description }) => entry(name, type, required, description)),
  ])
}

/** The headers that one side sends, each with its own anchor. */
export function headerEntries(sentBy: HeaderFact['sentBy']): string {
  const names = headerNames.filter((name) => headerFact(name).sentBy === sentBy)
  return entries(
    names.map((name) => {
      const { where, meaning, standard, example } = headerFact(name)
      const shown = name === 'Idempotency-Key' ? '' : ` Example: \`${example}\``
      const text = `${meaning} On ${where}.${shown}`
      return { id: `header-${name.toLowerCase()}`, name, tags: standard ? [standard] : [], text }
    }),
  )
}

export function limitTable(): string {
  return table(['Limit', 'Value', 'Meaning'], limits)
}

/** The paths, in order of discovery. */
export function endpointTable(): string {
  return table(
    ['Request', 'Purpose'],
    [
      [`\`POST ${leadsPath}\``, '[Submit](#submit) a quote request or a contact message.'],
      [`[\`GET ${apiRootPath}\`](${apiRootPath})`, '[Status](#status), limits, the consent wording, and links.'],
      ...documentOperations.map(({ path, description }) => [`[\`GET ${path}\`](${path})`, description]),
      [`\`POST ${aliasPath}\``, `The old path of \`POST ${leadsPath}\`; [deprecated](#deprecation).`],
    ],
  )
}

const codeLink = (name: ProblemCode) => `[\`${name}\`](/problems/${name})`

/** All problem codes, and what to do. */
export function problemTable(): string {
  const rows = problemCodes.map((name) => {
    const { status, retryable, hint } = problemRow(name)
    return [codeLink(name), String(status), retryable ? 'yes' : 'no', hint]
  })
  return table(['Code', 'Status', 'Retry', 'What to do'], rows)
}

/** The codes whose status passes the test, and their meaning. */
export function problemTitles(has: (status: number) => boolean): string {
  const rows = problemCodes
    .map((name) => ({ name, row: problemRow(name) }))
    .filter(({ row }) => has(row.status))
    .map(({ name, row }) => [codeLink(name), String(row.status), escapeMarkdown(row.title)])
  return table(['Code', 'Status', 'What it means'], rows)
}

const testDataCodes: readonly string[] = ['reserved_domain', 'reserved_phone', 'unassignable_phone', 'placeholder']

/** The codes of `errors`: all, or those of one problem. Empty: it has none. */
export function faultTableOf(problem?: ProblemCode): string {
  const listed = faultCodes.filter((name) => {
    const isTestData = testDataCodes.includes(name)
    if (problem === undefined) return true
    if (problem === 'test_lead_rejected') return isTestData
    if (problem === 'validation_failed') return !isTestData
    return problem === 'consent_required' && name === 'consent_required'
  })
  if (listed.length === 0) return ''
  const rows = listed.map((name) => [`\`${name}\``, escapeMarkdown(faultTable[name].detail), faultTable[name].hint])
  return table(['Code', 'The value', 'What to do'], rows)
}

export function testDataTable(): string {
  const listed = faultCodes.filter((name) => testDataCodes.includes(name))
  return table(
    ['Code', 'Meaning'],
    listed.map((name) => [`\`${name}\``, escapeMarkdown(`The value ${faultTable[name].detail}.`)]),
  )
}
