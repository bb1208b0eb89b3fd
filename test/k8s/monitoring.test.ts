// The rules and the dashboard of k8s/components/monitoring. `npm run check` sees that their metrics exist.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse, stringify } from 'yaml'
import { createMetrics } from '../../src/ops/metrics.ts'
import { newFolder, skipWithout } from '../support/machine.ts'
import { execute } from '../support/service.ts'
import { isSelected, k8s, renderOverlay, skipWithoutKubectl } from './overlay.ts'

type Group = { name: string; rules: { alert?: string; expr: string }[] }

const read = (file: string) => readFileSync(join(k8s, 'components/monitoring', file), 'utf8')
const groups = ['objectives.yaml', 'alerts.yaml'].flatMap((file) => parse(read(file)).spec.groups as Group[])
const rules = groups.flatMap((group) => group.rules)
const panels: { targets?: { expr: string }[] }[] = JSON.parse(read('dashboard.json')).panels
// With the variable that Grafana fills in.
const drawn = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')))

describe('the monitoring', () => {
  test('matches only labels and buckets that the service exports', async () => {
    const metrics = createMetrics()
    metrics.onRequest('/api/v1/leads', 201, undefined, 0.1)
    metrics.onCall({ service: 'LeadIntakeService', method: 'SubmitLead', code: 'ok', seconds: 0.1 }, true)
    metrics.onConnectionClosed('idle')
    const consumers = [{ consumer: 'crm', streams: 1, lagSeconds: 0 }]
    const state = { isStoreUp: true, isOnFallback: false, isReady: true, consumers, linesDropped: 0 }
    const { body } = await metrics.render(state)
    for (const expression of [...rules.map(({ expr }) => expr), ...drawn])
      for (const [, metric, matchers = ''] of expression.matchAll(/\b(lead_intake_\w+)\{(.*?)\}/g))
        for (const [, label, value] of matchers.matchAll(/(\w+)[=!]~?"(.*?)"/g)) {
          if (label === 'namespace' || label === 'pod') continue
          const exported = label === 'le' ? `le="${value}"` : `${label}="`
          assert.match(body, new RegExp(`^${metric}\\{(.*,)?${exported}`, 'm'), expression)
        }
  })

  test('scrapes every pod of the service, and alerts on fewer than the autoscaler leaves', {
    skip: skipWithoutKubectl,
  }, () => {
    const { all, one } = renderOverlay('production')
    const { selector, endpoints } = all('ServiceMonitor')[0]?.spec ?? {}
    const scraped = all('Service').filter(({ metadata }) => isSelected(selector.matchLabels, metadata.labels))
    const ports = scraped.map(({ metadata, spec }) => [metadata.name, spec.ports[0].name])
    assert.deepEqual(ports, [['lead-intake-ops', endpoints[0].port]])
    const { minReplicas } = one('HorizontalPodAutoscaler', 'lead-intake').spec
    const missing = rules.find(({ alert }) => alert === 'LeadIntakeReplicasMissing')
    assert.match(missing?.expr ?? '', new RegExp(` < ${minReplicas}$`))
  })
})

/** A scenario of alerts.yaml: which alerts fire when, and, as further members, the series of Prometheus. */
interface Scenario {
  name: string
  interval?: string
  firing: Record<string, string[]>
}

// As text only: YAML would read "0x60", sixty samples of 0, as a number.
const scenarios = parse(readFileSync(join(import.meta.dirname, 'alerts.yaml'), 'utf8'), { schema: 'failsafe' })

/** A scenario as a test of promtool. */
function promtoolTest(scenario: Scenario, evaluationInterval: string) {
  const { name, interval = evaluationInterval, firing, ...series } = scenario
  const installation = 'namespace="lead-intake",job="lead-intake-ops"'
  const written = Object.entries(series as Record<string, string>).map(([one, values]) => {
    const [metric, labels = installation] = one.split(/[{}]/)
    const all = labels.includes('namespace=') ? labels : `${labels},${installation}`
    return { series: `${metric}{${all.includes('pod=') ? all : `${all},pod="a"`}}`, values }
  })
  if (!written.some((one) => one.series.startsWith('lead_intake_build_info')))
    written.push({ series: `lead_intake_build_info{${installation},pod="a"}`, values: '1x5000' })
  const expectations = Object.entries(firing).map(([time, alerts]) => ({
    // With a comment, so that a failure names the scenario.
    expr: `count by (alertname) (ALERTS{alertstate="firing"}) # ${name}`,
    eval_time: time,
    exp_samples: alerts.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
  }))
  return { name, interval, input_series: written, promql_expr_test: expectations }
}

describe("the alerts, in Prometheus's own unit tests", { skip: skipWithout('promtool') }, () => {
  const folder = newFolder()
  const write = (file: string, content: object) => writeFileSync(join(folder, file), stringify(content))
  const promtool = async (...args: string[]) => {
    const faulty = ({ stdout, stderr }: Record<string, string>) => assert.fail(`${stdout}${stderr}`)
    await execute('promtool', args, { cwd: folder }).catch(faulty)
  }
  write('rules.yaml', { groups: groups.map(({ name, rules }) => ({ name, rules })) })

  for (const [interval, each] of Object.entries<Scenario[]>(scenarios)) {
    test(`fire when they must, and only then: evaluated every ${interval}`, () => {
      const tests = each.map((scenario) => promtoolTest(scenario, interval))
      write('tests.yaml', { rule_files: ['rules.yaml'], evaluation_interval: interval, tests })
      return promtool('test', 'rules', 'tests.yaml')
    })
  }

  test("and the dashboard's panels are valid expressions", () => {
    const panels = drawn.map((expr, index) => ({ record: `panel:${index}`, expr: expr.replaceAll('$', '') }))
    write('dashboard.yaml', { groups: [{ name: 'dashboard', rules: panels }] })
    return promtool('check', 'rules', 'dashboard.yaml')
  })
})
