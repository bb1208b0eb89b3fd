// The rules and the dashboard of k8s/components/monitoring. `npm run check:complete` sees that their metrics exist.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { parser } from '@prometheus-io/lezer-promql'
import { parse, stringify } from 'yaml'
import { createMetrics } from '../../src/ops/metrics.ts'
import { problemTable } from '../../src/problem/table.ts'
import { skipWithout } from '../support/tools.ts'
import { isSelected, k8s, renderOverlay, skipWithoutKubectl } from './overlay.ts'

interface Group {
  name: string
  rules: { alert?: string; expr: string }[]
}

const read = (file: string) => readFileSync(join(k8s, 'components/monitoring', file), 'utf8')
const groups = ['objectives.yaml', 'alerts.yaml'].flatMap((file) => parse(read(file)).spec.groups as Group[])
const rules = groups.flatMap((group) => group.rules)
const panels: { targets?: { expr: string }[] }[] = JSON.parse(read('dashboard.json')).panels
// With the variable that Grafana fills in.
const drawn = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')))

/** Labels that Prometheus and its operator add to all scraped metrics. */
const targetLabels = ['namespace', 'pod', 'job', 'instance', 'container', 'endpoint']

/** The labels that an expression matches, with metric and value, and those that it groups by, by Prometheus's grammar. */
function labelsIn(expression: string): { metric: string; label: string; value?: string }[] {
  const found: { metric: string; label: string; value?: string }[] = []
  let metric = ''
  parser.parse(expression).iterate({
    enter({ name, from, to, node }) {
      const text = expression.slice(from, to)
      if (name === 'Identifier') metric = text
      if (name !== 'LabelName') return
      const value = JSON.parse(/".*?"/.exec(expression.slice(to))?.[0] ?? '""')
      found.push(node.parent?.name === 'GroupingLabels' ? { metric, label: text } : { metric, label: text, value })
    },
  })
  return found
}

/** The output of `/metrics` after everything has been counted. */
async function metricsText(): Promise<string> {
  const metrics = createMetrics({
    isStoreUp: async () => true,
    isReady: async () => true,
    linesDropped: () => 0,
  })
  metrics.onRequest('/api/v1/leads', 201, undefined, 0.1)
  metrics.onCall('LeadIntakeService', 'SubmitLead', 'ok')
  metrics.onLead('rest-v1', 'created')
  metrics.onDecision('shared', true)
  metrics.onLimiterMode('fallback')
  metrics.onBatch({ size: 1, seconds: 0.1, outcome: 'committed' })
  metrics.onConnectionClosed('idle')
  metrics.onCertificate(new Date())
  metrics.observeConsumers(async () => [{ consumer: 'crm', streams: 1, lag: { leads: 0, seconds: 0 } }])
  return (await metrics.render()).body
}

describe('the monitoring', () => {
  test('matches only labels, routes, codes and buckets that exist', async () => {
    const text = await metricsText()
    const all = new Set([...targetLabels, ...Array.from(text.matchAll(/[{,](\w+)="/g), ([, label = '']) => label)])
    for (const expression of [...rules.map(({ expr }) => expr), ...drawn]) {
      for (const { metric, label, value } of labelsIn(expression)) {
        assert(all.has(label), `${label} in ${expression}`)
        if (value === undefined || targetLabels.includes(label)) continue
        assert(
          metric.includes(':') || new RegExp(`^${metric}\\{.*\\b${label}="`, 'm').test(text),
          `${metric}: ${label}`,
        )
        if (label === 'le') assert(text.includes(`${metric}{le="${value}"`), `${metric} has no bucket ${value}`)
        if (label === 'code' && metric.includes('http')) assert(value === '' || value in problemTable, value)
        if (label !== 'route' || !rules.some(({ expr }) => expr === expression)) continue
        const matched = ['/api/v1/leads', '/api/leads', '/api/v1'].filter((route) => RegExp(`^(${value})$`).test(route))
        assert(matched.includes('/api/leads') && !matched.includes('/api/v1'), value)
      }
    }
  })

  test('scrapes every pod of the service, alerts on fewer than the autoscaler leaves, and is found by its operator', {
    skip: skipWithoutKubectl,
  }, () => {
    const { all, one } = renderOverlay('production')
    const [monitor, ...others] = all('ServiceMonitor')
    assert.deepEqual([others, monitor?.spec.endpoints[0].path], [[], '/metrics'])
    const { matchLabels } = monitor?.spec.selector ?? {}
    const scraped = all('Service').filter(({ metadata }) => isSelected(matchLabels, metadata.labels))
    assert.deepEqual(
      scraped.map(({ metadata, spec }) => [metadata.name, spec.ports[0].name]),
      [['lead-intake-ops', monitor?.spec.endpoints[0].port]],
    )
    const { minReplicas } = one('HorizontalPodAutoscaler', 'lead-intake').spec
    const missing = rules.find(({ alert }) => alert === 'LeadIntakeReplicasMissing')
    assert.match(missing?.expr ?? '', new RegExp(` < ${minReplicas}$`))
    for (const { metadata } of [...all('ServiceMonitor'), ...all('PrometheusRule')])
      assert.equal(metadata.labels.release, 'kube-prometheus-stack')
    const dashboard = one('ConfigMap', 'lead-intake-dashboard').data['lead-intake.json']
    assert.equal(JSON.parse(dashboard).panels.length, panels.length)
  })
})

const cases = join(import.meta.dirname, 'alerts')
const files = globSync('*.yaml', { cwd: cases }).sort()

describe("the alerts, in Prometheus's own unit tests", { skip: skipWithout('promtool') }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'lead-intake-alerts-'))
  before(() => {
    cpSync(cases, folder, { recursive: true })
    writeFileSync(join(folder, 'rules.yaml'), stringify({ groups: groups.map(({ name, rules }) => ({ name, rules })) }))
    // As rules, so that Prometheus checks the dashboard's expressions, too.
    const dashboard = drawn.map((expr, index) => ({ record: `panel:${index}`, expr: expr.replaceAll('$', '') }))
    writeFileSync(join(folder, 'dashboard.yaml'), stringify({ groups: [{ name: 'dashboard', rules: dashboard }] }))
  })
  after(() => rmSync(folder, { recursive: true }))
  const promtool = async (...args: string[]) => {
    await promisify(execFile)('promtool', args, { cwd: folder }).catch(({ stdout, stderr }) =>
      assert.fail(stdout + stderr),
    )
  }

  for (const file of files) test(`fire when they must, and only then: ${file}`, () => promtool('test', 'rules', file))

  test('and the panels of the dashboard have valid expressions', () => promtool('check', 'rules', 'dashboard.yaml'))

  test('are all tested both ways: firing and quiet', () => {
    const tests = files.flatMap((file) => parse(readFileSync(join(cases, file), 'utf8')).tests as object[])
    for (const { alert } of rules.filter((rule) => rule.alert)) {
      const firing = tests.filter((one) => JSON.stringify(one).includes(`\\"${alert}\\"`))
      assert(firing.length > 0 && firing.length < tests.length, `${alert}`)
    }
  })
})
