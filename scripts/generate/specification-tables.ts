import { kindField } from '../../src/lead/rules.ts'
import type { LeadKind } from '../../src/lead/submission.ts'
import { type ProblemRow, problemTable } from '../../src/problem/table.ts'
import { faults } from '../../src/words/faults.ts'
import { kindFacts, kindSelector } from './facts/fields.ts'
import { faultCodes, forRest, table } from './facts/tables.ts'

const kinds: readonly LeadKind[] = ['quote', 'support']

/** Each field once, in the order of the proto file, with its comment and what its options say. */
function fieldTable(): string {
  const all = new Map(kinds.toReversed().flatMap((kind) => kindFacts[kind].fields.map((field) => [field.name, field])))
  const order = new Set(kinds.flatMap((kind) => kindFacts[kind].fields.map(({ name }) => name)))
  const needOf = (kind: LeadKind, name: string) => {
    const field = kindFacts[kind].fields.find((field) => field.name === name)
    return field ? (field.required ? 'required' : 'optional') : '–'
  }
  const { quote, support } = kindSelector.description
  const rows = [...order].map((name) => {
    const { pattern, mustBe, faults, description = '' } = all.get(name) ?? {}
    const code = pattern || mustBe ? `\`${faults?.value.code}\`` : ''
    return [`\`${name}\``, needOf('quote', name), needOf('support', name), code, description]
  })
  const selector = [`\`${kindField}\``, 'optional', 'required', '`invalid_value`', `${quote} ${support}`]
  return table(['field', 'quote request', 'contact message', 'if invalid', 'meaning'], [selector, ...rows])
}

/** The codes of problems that share status, Connect code and retry. */
function problemTables(): string {
  const groups = Map.groupBy(Object.entries<ProblemRow>(problemTable), ([, { status, connect, retry }]) =>
    [status ?? '–', connect ?? '–', retry].join(' | '),
  )
  const rows = Array.from(groups, ([group, problems]) => [
    problems.map(([code]) => `\`${code}\``).join(', '),
    ...group.split(' | '),
  ])
  return table(['code', 'status', 'Connect code', '`retry`'], rows)
}

const faultTable = () =>
  table(
    ['code', 'the value'],
    faultCodes.map((code) => [`\`${code}\``, forRest(faults[code].detail)]),
  )

const tables = { fields: fieldTable, problems: problemTables, faults: faultTable }

/** The text of docs/specification.md with its tables made anew, each between two comments with its name. */
export function fillSpecification(text: string): string {
  return Object.entries(tables).reduce((filled, [name, print]) => {
    const [before, rest] = filled.split(`<!-- ${name}: made by npm run generate -->\n`)
    const after = rest?.split(`<!-- /${name} -->`)[1]
    if (before === undefined || after === undefined) throw new Error(`docs/specification.md: no place for ${name}`)
    return `${before}<!-- ${name}: made by npm run generate -->\n${print()}\n<!-- /${name} -->${after}`
  }, text)
}
