import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { parse, stringify } from 'yaml'
import { skipWithout } from '../support/tools.ts'
import { projectRoot } from './overlay.ts'

interface RuleGroup {
  rules: { alert?: string; expr: string }[]
}

interface AlertTests {
  tests: { promql_expr_test: { expr: string; exp_samples: { labels: string }[] }[] }[]
}

const monitoring = join(projectRoot, 'k8s/components/monitoring')
const cases = join(import.meta.dirname, 'alerts')

const groups = ['objectives.yaml', 'alerts.yaml'].flatMap(
  (file) => parse(readFileSync(join(monitoring, file), 'utf8')).spec.groups as RuleGroup[],
)
const names = groups.flatMap(({ rules }) => rules.flatMap(({ alert }) => alert ?? []))
const files = globSync('*.yaml', { cwd: cases }).sort()

suite("the alerts, in Prometheus's own unit tests", () => {
  const folder = mkdtempSync(join(tmpdir(), 'lead-intake-alerts-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(cases, folder, { recursive: true })
  writeFileSync(join(folder, 'rules.yaml'), stringify({ groups }))

  for (const file of files) {
    test(`fire when they must, and only then: ${file}`, { skip: skipWithout('promtool') }, async () => {
      await promisify(execFile)('promtool', ['test', 'rules', file], { cwd: folder }).catch(({ stdout, stderr }) =>
        assert.fail(`${stdout}${stderr}`),
      )
    })
  }

  test('are all tested both ways: firing and quiet', () => {
    const tests = files.flatMap((file) => (parse(readFileSync(join(cases, file), 'utf8')) as AlertTests).tests)
    const firing = (alert: string) =>
      tests.map(({ promql_expr_test: checks }) =>
        checks.some(({ exp_samples }) => exp_samples.some(({ labels }) => labels.includes(`"${alert}"`))),
      )
    for (const alert of names) {
      assert(firing(alert).includes(true), `${alert} never fires`)
      assert(firing(alert).includes(false), `${alert} is never quiet`)
    }
  })
})
