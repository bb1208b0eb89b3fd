// `npm run check:complete`: whether everything that belongs to a field, a problem code, a setting, a metric or an alert is
// there. The compiler and `npm run generate` see to rows, pages, examples and patterns.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { settings } from '../src/config/settings.ts'
import { faultCodes } from '../src/lead/fault-table.ts'
import { leadRules } from '../src/lead/rules.ts'
import { createMetrics } from '../src/ops/metrics.ts'
import { problemTable } from '../src/problem/table.ts'

process.chdir(join(import.meta.dirname, '..'))
const read = (file: string) => readFileSync(file, 'utf8')
const missing: string[] = []

/** Where every field has a column, a line, an input or a value in the tests, and which fields have none there. */
const filesWithFields: [file: string, except?: string[]][] = [
  ['src/viewer/formats.ts'],
  ['src/evidence/certificate-html.ts'],
  ['src/site/static/website-form.html'],
  ['docs/specification.md'],
  ['test/support/submissions.ts'],
  ['examples/leads-to-mail/message.ts', ['communicationsConsent', 'consentTimestamp', 'pageUrl']],
]
const fields = new Set(Object.values(leadRules).flatMap((rules) => rules.map(({ name }) => name)))
for (const [file, except = []] of filesWithFields) {
  const text = read(file)
  // An input, a member, a key, or a name in a list or a sentence.
  const names = (field: string) =>
    new RegExp(`name="${field}"|\\.${field}\\b|\\b${field}:|['\`]${field}['\`]`).test(text)
  for (const field of fields)
    if (!except.includes(field) && !names(field)) missing.push(`${file}: the field ${field} is missing`)
}

const specification = read('docs/specification.md')
const objectives = read('k8s/components/monitoring/objectives.yaml')
for (const code of faultCodes)
  if (!specification.includes(`\`${code}\``)) missing.push(`docs/specification.md: the fault code ${code} is missing`)
for (const [code, { status }] of Object.entries(problemTable)) {
  if (!specification.includes(`\`${code}\``)) missing.push(`docs/specification.md: the problem ${code} is missing`)
  if (status !== null && status >= 500 && !objectives.includes(code))
    missing.push(
      `k8s/components/monitoring/objectives.yaml: say whether ${code}, a ${status}, counts and so pages somebody`,
    )
}

const readers = globSync('src/**/*.ts', { exclude: ['src/config/settings.ts', 'src/gen/**'] })
const source = readers.map(read).join('\n')
for (const name of Object.keys(settings))
  if (!new RegExp(`\\b${name}\\b`).test(source)) missing.push(`src/config/config.ts: nothing reads ${name}`)

const metrics = createMetrics({ isStoreUp: async () => true, isReady: async () => true, linesDropped: () => 0 })
const served = new Set([...(await metrics.render()).body.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name))
const series = (name: string) => served.has(name) || served.has(name.replace(/_(bucket|sum|count)$/, ''))
for (const file of globSync(['k8s/components/monitoring/*', 'docs/**/*.md'])) {
  for (const [name] of read(file).matchAll(/\blead_intake_\w+/g))
    if (!series(name)) missing.push(`${file}: no metric ${name} in src/ops/metrics.ts`)
}

const rules = globSync('k8s/components/monitoring/*.yaml').map(read).join('\n')
const monitoring = rules + read('k8s/components/monitoring/dashboard.json')
const recorded = new Set([...rules.matchAll(/- record: (\S+)/g)].map(([, name]) => name))
for (const [name] of monitoring.matchAll(/\blead_intake:[\w:]+/g))
  if (!recorded.has(name)) missing.push(`k8s/components/monitoring: no rule records ${name}`)

const runbook = read('docs/operations.md')
const alertTests = globSync('test/k8s/alerts/*.yaml').map(read).join('\n')
for (const [, alert] of rules.matchAll(/- alert: (\w+)/g)) {
  if (!runbook.includes(`\n### ${alert}\n`)) missing.push(`docs/operations.md: no section "### ${alert}"`)
  if (!rules.includes(`#${alert?.toLowerCase()}\n`)) missing.push(`${alert}: no runbook_url that ends in its name`)
  if (!alertTests.includes(`"${alert}"`)) missing.push(`test/k8s/alerts: no test of ${alert}`)
}

if (missing.length > 0) {
  console.error(missing.join('\n'))
  process.exitCode = 1
}
