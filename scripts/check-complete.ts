// `npm run check:complete`: whether everything that belongs to a field, a metric or an alert is there. The compiler and
// `npm run generate` see to problem codes, settings, examples and patterns.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { leadRules } from '../src/lead/rules.ts'
import { createMetrics } from '../src/ops/metrics.ts'

process.chdir(join(import.meta.dirname, '..'))
const read = (file: string) => readFileSync(file, 'utf8')
const missing: string[] = []

/** Where every field has a column, a line or an input, and which fields have none there. */
const filesWithFields: [file: string, except?: string[]][] = [
  ['src/viewer/record.ts'],
  ['src/evidence/certificate-html.ts'],
  ['src/site/static/website-form.html'],
  ['examples/leads-to-mail/message.ts', ['communicationsConsent', 'consentTimestamp', 'pageUrl']],
]
const fields = new Set(Object.values(leadRules).flatMap((rules) => rules.map(({ name }) => name)))
for (const [file, except = []] of filesWithFields) {
  const text = read(file)
  // An input, a member, a key, or a name in a list.
  const names = (field: string) => new RegExp(`name="${field}"|\\.${field}\\b|\\b${field}:|'${field}'`).test(text)
  for (const field of fields)
    if (!except.includes(field) && !names(field)) missing.push(`${file}: the field ${field} is missing`)
}

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
  if (!alertTests.includes(`"${alert}"`)) missing.push(`test/k8s/alerts: no test of ${alert}`)
}

if (missing.length > 0) {
  console.error(missing.join('\n'))
  process.exitCode = 1
}
