import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { freePorts } from '../support/ports.ts'
import { projectRoot } from './overlay.ts'

/** Prometheus's answer to a range query. */
export interface Series {
  metric: Record<string, string>
  values: [atSeconds: number, value: string][]
}

/** A dedicated Prometheus with the project's rules. */
export interface Prometheus extends AsyncDisposable {
  /** Queries the last `seconds`, one point per second. Rejects with Prometheus's error for an invalid expression. */
  queryRange(expression: string, seconds: number): Promise<Series[]>
}

const monitoring = join(projectRoot, 'k8s/components/monitoring')

/** Starts Debian's Prometheus, which scrapes the targets every second, labeled as pods. */
export async function startPrometheus(targets: Record<string, string>): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'))
  const [port] = (await freePorts(1)) as [number]
  const groups = ['objectives.yaml', 'alerts.yaml'].flatMap(
    (file) => parse(readFileSync(join(monitoring, file), 'utf8')).spec.groups,
  )
  writeFileSync(
    join(folder, 'rules.yaml'),
    stringify({ groups: groups.map((group) => ({ ...group, interval: '1s' })) }),
  )
  const static_configs = Object.entries(targets).map(([pod, url]) => ({
    targets: [new URL(url).host],
    labels: { namespace: 'lead-intake', pod },
  }))
  writeFileSync(
    join(folder, 'prometheus.yaml'),
    stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: ['rules.yaml'],
      scrape_configs: [{ job_name: 'lead-intake', static_configs }],
    }),
  )
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let output = ''
  child.stderr.on('data', (chunk) => (output += chunk))
  const ended = once(child, 'exit')
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`Prometheus ended:\n${output}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    async queryRange(query, seconds) {
      const end = Date.now() / 1_000
      const parameters = { query, start: `${end - seconds}`, end: `${end}`, step: '1' }
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query_range?${new URLSearchParams(parameters)}`)
      const { status, data, error } = (await answer.json()) as {
        status: string
        data?: { result: Series[] }
        error?: string
      }
      if (status !== 'success' || !data) throw new Error(`${query}: ${error}`)
      return data.result
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A panel of the dashboard. */
export interface Panel {
  title: string
  type: string
  targets?: { expr: string; legendFormat: string }[]
  fieldConfig?: { defaults: { unit: string } }
}

/** The panels, with Grafana's variables filled in. */
export function readPanels(rateInterval: string): Panel[] {
  const text = readFileSync(join(monitoring, 'dashboard.json'), 'utf8')
  const { panels } = JSON.parse(text.replaceAll('$__rate_interval', rateInterval).replaceAll('$namespace', '.*')) as {
    panels: Panel[]
  }
  return panels.filter(({ targets }) => targets)
}
