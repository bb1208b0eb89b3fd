import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createMetrics } from '../../src/ops/metrics.ts'
import { problemTable } from '../../src/problem/table.ts'
import { isSelected, type Labels, type Manifest, renderOverlay, type Service, skipWithoutKubectl } from './overlay.ts'
import { readExpression } from './promql.ts'

interface Rules extends Manifest {
  spec: { groups: { rules: { alert?: string; record?: string; expr: string; annotations?: Labels }[] }[] }
}

interface Panel {
  title: string
  type: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string }[]
}

/** Labels that Prometheus and its operator add to all scraped metrics. */
const targetLabels = ['namespace', 'pod', 'job', 'instance', 'container', 'endpoint']

/** The output of `/metrics` after everything has been counted. */
async function metricsText(): Promise<string> {
  const metrics = createMetrics({
    isStoreUp: async () => true,
    isReady: async () => true,
    linesDropped: () => 0,
  })
  metrics.onRequest('/api/v1/leads', 201, undefined, 0.1)
  metrics.onCall('LeadIntakeService', 'SubmitLead', 'ok', 0.1)
  metrics.onLead('rest-v1', 'created')
  metrics.onDecision('shared', true)
  metrics.onLimiterMode('fallback')
  metrics.onBatch({ size: 1, seconds: 0.1, outcome: 'committed' })
  metrics.onConnectionClosed('idle')
  metrics.onCertificate(new Date())
  metrics.observeConsumers(async () => [{ consumer: 'crm', streams: 1, lag: { leads: 0, seconds: 0 } }])
  return (await metrics.render()).body
}

/** The service's metrics with their label names. */
async function servedMetrics(): Promise<Map<string, Set<string>>> {
  const served = new Map<string, Set<string>>()
  for (const [, name = '', labels = ''] of (await metricsText()).matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const names = served.get(name) ?? new Set()
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) names.add(label)
    served.set(name, names)
  }
  return served
}

describe('the monitoring', { skip: skipWithoutKubectl }, () => {
  const overlay = renderOverlay('production')
  const rules = overlay.all<Rules>('PrometheusRule').flatMap(({ spec }) => spec.groups.flatMap((group) => group.rules))
  const recorded = rules.flatMap(({ record }) => record ?? [])
  const alerts = rules.filter(({ alert }) => alert)
  const config = overlay.one<Manifest & { data: Labels }>('ConfigMap', 'lead-intake-dashboard')
  const dashboard: { panels: Panel[] } = JSON.parse(config.data['lead-intake.json'] ?? '')
  // The variables that Grafana fills in.
  const panelExpressions = dashboard.panels.flatMap(({ targets = [] }) =>
    targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')),
  )

  test("scrapes the ops port of all the service's pods, with one Service and one ServiceMonitor", () => {
    const [monitor, ...others] = overlay.all<
      Manifest & { spec: { selector: { matchLabels: Labels }; endpoints: { port: string; path: string }[] } }
    >('ServiceMonitor')
    assert(monitor && others.length === 0)
    const services = overlay
      .all<Service>('Service')
      .filter(({ metadata }) => isSelected(monitor.spec.selector.matchLabels, metadata.labels))
    assert.deepEqual(
      services.map(({ metadata }) => metadata.name),
      ['lead-intake-ops'],
    )
    assert.deepEqual(
      monitor.spec.endpoints.map(({ port, path }) => [port, path]),
      [['ops', '/metrics']],
    )
    assert.deepEqual(
      services[0]?.spec.ports.map(({ name, targetPort }) => [name, targetPort]),
      [['ops', 'ops']],
    )
  })

  test('uses only metrics and labels of the service or its own recording rules', async () => {
    const served = await servedMetrics()
    for (const expression of [...rules.map(({ expr }) => expr), ...panelExpressions]) {
      const { selectors, groupedBy } = readExpression(expression)
      assert(selectors.length > 0)
      const known = new Set(targetLabels)
      for (const { metric, labels } of selectors) {
        const own = served.get(metric)
        assert(own ?? recorded.includes(metric), `${metric} is served by nobody`)
        for (const label of own ?? []) known.add(label)
        for (const { name } of labels) assert(own?.has(name) || targetLabels.includes(name), `${metric} has no ${name}`)
      }
      for (const label of groupedBy) assert(known.has(label), `${label} in ${expression}`)
    }
  })

  test('matches only existing routes, codes and buckets', async () => {
    const text = await metricsText()
    for (const { expr } of rules) {
      for (const { metric, labels } of readExpression(expr).selectors) {
        for (const { name, value } of labels) {
          if (name === 'le') assert(text.includes(`${metric}{le="${value}"`), `${metric} has no bucket ${value}`)
          if (name === 'code' && metric.includes('http')) assert(value in problemTable, value)
          if (name !== 'route') continue
          const matching = ['/api/v1/leads', '/api/leads', '/api/v1'].filter((route) =>
            RegExp(`^(${value})$`).test(route),
          )
          assert(matching.includes('/api/leads') && !matching.includes('/api/v1'), value)
        }
      }
    }
  })

  test("alerts on fewer replicas than the autoscaler's minimum", () => {
    const { spec } = overlay.one<Manifest & { spec: { minReplicas: number } }>('HorizontalPodAutoscaler', 'lead-intake')
    const missing = alerts.find(({ alert }) => alert === 'LeadIntakeReplicasMissing')
    assert.match(missing?.expr ?? '', new RegExp(` < ${spec.minReplicas}$`))
  })

  test('has at most a dozen alerts, each with its meaning, its remedy and a link', () => {
    assert(alerts.length <= 12)
    for (const { alert = '', annotations } of alerts) {
      assert(annotations?.summary && annotations.description, alert)
      assert.equal(new URL(annotations.runbook_url ?? '').hash, `#${alert.toLowerCase()}`)
    }
  })

  test('is selected by kube-prometheus-stack', () => {
    for (const kind of ['ServiceMonitor', 'PrometheusRule'])
      for (const { metadata } of overlay.all(kind)) assert.equal(metadata.labels?.release, 'kube-prometheus-stack')
  })

  test('has a dashboard whose panels have their own places and names', () => {
    const taken = new Set<string>()
    for (const { title, gridPos } of dashboard.panels) {
      assert(gridPos.x + gridPos.w <= 24, title)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert(!taken.has(`${x},${y}`), `${title} lies over another panel`)
          taken.add(`${x},${y}`)
        }
      }
    }
    assert.equal(new Set(dashboard.panels.map(({ title }) => title)).size, dashboard.panels.length)
  })
})
