// Part of `npm run check`: whether everything that belongs to a field, a problem code, a setting, a metric, an
// alert or an RPC method is there. The compiler and `npm run generate` see to rows, examples and patterns.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { readConfig } from '../src/config/config.ts'
import type { Setting } from '../src/config/reader.ts'
import { settings } from '../src/config/settings.ts'
import { LeadInboxService } from '../src/gen/leadintake/v1/inbox_pb.ts'
import { leadRules } from '../src/lead/rules.ts'
import { createMetrics } from '../src/ops/metrics.ts'
import { genericContact } from '../src/problem/document.ts'
import { type ProblemRow, problemTable } from '../src/problem/table.ts'
import { pagePaths } from '../src/site/documents.ts'

interface Rule {
  alert: string
  annotations?: { description?: string; runbook_url?: string }
}
interface Scenario {
  firing: Record<string, string[]>
}

process.chdir(join(import.meta.dirname, '..'))
const read = (file: string) => readFileSync(file, 'utf8')
const readCode = (file: string) => read(file).replace(/\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->|(?<!:)\/\/.*/g, '')
const missing: string[] = []

/** Where every field has a column, an example, a line, an input or a value in the tests, and which have none there. */
const filesWithFields: [file: string, except?: string[]][] = [
  ['scripts/generate/facts/examples.ts'],
  ['src/commands/leads/formats.ts'],
  ['src/site/form/fields.ts', ['consentTimestamp', 'pageUrl']],
  ['test/support/submissions.ts'],
  ['examples/leads-to-mail/message.ts', ['communicationsConsent', 'consentTimestamp', 'pageUrl']],
]
/** Where only announced fields may be: pages that have them send them to every replica. */
const announcements = ['scripts/generate/facts/examples.ts', 'src/site/form/fields.ts', 'test/support/submissions.ts']
const fieldRules = Object.values(leadRules).flat()
const announced = new Map(fieldRules.map((rule) => [rule.name, rule.announced]))
for (const { name, type, pattern, faults } of fieldRules) {
  if (type === 'string' && !faults.type.hint)
    missing.push(`src/words/faults.ts: sendHints lacks what (fault).send of the field ${name} names`)
  if (!faults.value.detail || (pattern && faults.value.code === 'invalid_value'))
    missing.push(`src/words/faults.ts: (fault).code of the field ${name} is missing, or names no row of faults`)
}
for (const [file, except = []] of filesWithFields) {
  const text = readCode(file)
  // An input, a member, a key, or a name in a list or a sentence.
  const names = (field: string) =>
    new RegExp(`name="${field}"|\\.${field}\\b|\\b${field}:|['\`]${field}['\`]`).test(text)
  for (const [field, isAnnounced] of announced) {
    if (isAnnounced || !announcements.includes(file)) {
      if (!except.includes(field) && !names(field)) missing.push(`${file}: the field ${field} is missing`)
    } else if (names(field)) missing.push(`${file}: the field ${field} is unannounced; show it one release later`)
  }
}

// llms.md is no page, and problem.md frames the page of each problem.
for (const file of globSync('**/*.md', { cwd: 'src/site/content', exclude: ['llms.md', 'problem.md'] }))
  if (!pagePaths.includes(`/${file.replace('.md', '')}`))
    missing.push(`src/site/documents.ts: no page path for src/site/content/${file}`)
const specification = read('docs/specification.md')
const linking = globSync('src/site/content/*.{md,html}').map(read).join('\n')
for (const path of pagePaths.filter((one) => !one.startsWith('/problems/'))) {
  if (!specification.includes(`\`${path}\``)) missing.push(`docs/specification.md: the page ${path} is missing in §2`)
  if (!new RegExp(`(?:\\]\\(|href=")${path}[)"#]`).test(linking))
    missing.push(`src/site/content: no page links to ${path}`)
}

// A proxy that answers in place of the service has the service's words. It does not know how to reach the business.
for (const file of ['deploy/nginx/lead-intake.conf.template', 'deploy/vm/Caddyfile']) {
  for (const [text] of read(file).matchAll(/\{"type":.*\}(?=['`])/g)) {
    const problem = JSON.parse(text)
    const { title, status, detail, hint, retryable, retry }: ProblemRow =
      problemTable[problem.code as keyof typeof problemTable]
    const row = {
      title,
      status,
      detail,
      hint: hint.replace('{{contact}}', genericContact),
      retryable,
      retry,
      error: detail,
    }
    for (const [member, value] of Object.entries(row))
      if (problem[member] !== value)
        missing.push(`${file}: ${member} of ${problem.code} must be ${JSON.stringify(value)}`)
  }
}

const sources = globSync('src/**/*.ts', { exclude: ['src/config/settings.ts', 'src/ops/metrics.ts', 'src/gen/**'] })
/** Without strings: a message that names a setting does not read it. */
const readWords = (files: string[]) =>
  new Set(
    files
      .map((file) => readCode(file).replace(/'[^'\n]*'/g, ''))
      .join('\n')
      .match(/\w+/g),
  )
const words = readWords(sources)
for (const name of Object.keys(settings))
  if (!words.has(name)) missing.push(`src/config/config.ts: nothing reads ${name}`)
const wordsBeside = readWords(sources.filter((file) => !/^src\/config\b/.test(file)))
for (const name of Object.keys(readConfig({})))
  if (!wordsBeside.has(name)) missing.push(`src/config/config.ts: nothing outside src/config reads ${name} of Config`)
/** Where a secret setting belongs: those that the cluster mounts as files, and those of a machine. */
const clusterPlaces = {
  'k8s/base/settings.env': '\nNAME_FILE=',
  'k8s/overlays/dev/kustomization.yaml': '- NAME=',
  'docs/kubernetes.md': '--from-file=NAME=',
  // How it is rotated.
  'docs/operations.md': '\n| `NAME` |',
  'test/k8s/manifests.test.ts': ' NAME: ',
}
const machinePlaces = {
  'compose.yaml': ' NAME: ',
  'deploy/vm/service.example.env': '\nNAME=',
  'docs/vm.md': '`NAME`',
}
for (const [name, { secret }] of Object.entries<Setting<unknown>>(settings)) {
  if (!secret) continue
  if (!read('k8s/base/settings.env').includes(`\n${name}_FILE=`)) {
    if (read('docs/kubernetes.md').includes(`\`${name}`)) continue
    missing.push(`docs/kubernetes.md: if only some installations need ${name}, say which, and ignore the next lines`)
  }
  // One machine has no Redis.
  const places = { ...clusterPlaces, ...(!/^(REDIS_URL|RATE_LIMIT_SECRET)$/.test(name) && machinePlaces) }
  for (const [file, place] of Object.entries(places)) {
    const text = place.replace('NAME', name)
    if (!read(file).includes(text)) missing.push(`${file}: the secret ${name} is missing, as in "${text.trim()}"`)
  }
}

const inboxFiles = ['docs/inbox.md', 'docs/specification.md', 'test/rpc/inbox.test.ts', 'test/rpc/roles.test.ts']
for (const file of inboxFiles)
  for (const { name, localName } of LeadInboxService.methods)
    if (!new RegExp(`\\b(${name}|${localName})\\b`).test(read(file)))
      missing.push(`${file}: the method ${name} is missing`)

const metrics = createMetrics()
const state = { isOnFallback: false, isStoreUp: true, isReady: true, consumers: [], linesDropped: 0 }
const atStart = (await metrics.render(state)).body
metrics.onCertificate(new Date())
const served = new Set([...(await metrics.render(state)).body.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name))
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
for (const [, name] of rules.matchAll(/increase\((lead_intake_\w+_total)/g))
  if (!new RegExp(`^${name}[{ ]`, 'm').test(atStart))
    missing.push(`src/ops/metrics.ts: ${name} has no series at startup, so an alert does not see its first increase`)
const code = sources.map(readCode).join('\n')
for (const name of Object.keys(metrics))
  if (!code.includes(`metrics.${name}`)) missing.push(`src/ops/metrics.ts: nothing calls ${name}`)

/** Parsed, so that comments do not count. As text only: YAML would read the sixty samples of "0x60" as a number. */
const parseText = (file: string) => parse(read(file), { schema: 'failsafe' })
const alertFile = 'k8s/components/monitoring/alerts.yaml'
const alertTests = 'test/k8s/alerts.yaml'
const scenarios: Scenario[] = Object.values<Scenario[]>(parseText(alertTests)).flat()
const runbook = read('docs/operations.md')
for (const { rules } of parseText(alertFile).spec.groups as { rules: Rule[] }[]) {
  for (const { alert, annotations } of rules) {
    const section = runbook.split(`\n### ${alert}\n`)[1]?.split(/^##/m)[0]
    const parts = [...(section ?? '').matchAll(/^\*\*(\w+)\*\*/gm)].map(([, part]) => part)
    if (section === undefined) missing.push(`docs/operations.md: no section "### ${alert}"`)
    else if (`${parts}` !== 'Symptom,Confirm,Fix')
      missing.push(`docs/operations.md: ${alert} needs **Symptom**, **Confirm** and **Fix**, in this order`)
    if (!annotations?.description) missing.push(`${alertFile}: ${alert} has no description`)
    if (!annotations?.runbook_url?.endsWith(`#${alert.toLowerCase()}`))
      missing.push(`${alertFile}: ${alert} has no runbook_url that ends in #${alert.toLowerCase()}`)
    const fires = ({ firing }: Scenario) => Object.values(firing).flat().includes(alert)
    if (!scenarios.some(fires)) missing.push(`${alertTests}: ${alert} never fires`)
  }
}

if (missing.length > 0) {
  console.error([...new Set(missing)].join('\n'))
  process.exitCode = 1
}
