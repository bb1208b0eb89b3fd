import { readFileSync, rmSync } from 'node:fs'
import type { Outcome } from './outcome.ts'
import { runTool } from './run-tool.ts'

export interface H2Load {
  url: string
  /** The file with the request body. */
  bodyFile: string
  headers: Readonly<Record<string, string>>
  connections: number
  /** Concurrent requests per connection. */
  streams: number
  seconds: number
  /** Where h2load writes one line per answer. */
  logFile: string
}

/** Loads a server over cleartext HTTP/2. */
export async function runH2load(load: H2Load): Promise<Outcome> {
  const fields = Object.entries(load.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const shape = [`-D${load.seconds}`, `-c${load.connections}`, `-m${load.streams}`]
  // Delete it first, because h2load appends.
  rmSync(load.logFile, { force: true })
  const output = await runTool('h2load', [
    ...shape,
    '-d',
    load.bodyFile,
    `--log-file=${load.logFile}`,
    ...fields,
    load.url,
  ])
  const [, errored, timedOut] = /, (\d+) errored, (\d+) timeout/.exec(output) ?? []
  if (errored === undefined) throw new Error(`h2load printed no summary:\n${output}`)
  return { ...readLog(load.logFile), broken: Number(errored) + Number(timedOut), seconds: load.seconds }
}

/** Each line is an answer: its start, its status, and its duration in microseconds. */
function readLog(path: string): Pick<Outcome, 'answers' | 'failed' | 'p50' | 'p99'> {
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  const answers = lines.map((line) => line.split('\t').map(Number) as [start: number, status: number, us: number])
  const timesMs = answers.map(([, , us]) => us / 1000).toSorted((a, b) => a - b)
  const quantile = (q: number) => timesMs[Math.floor(q * (timesMs.length - 1))] as number
  return {
    answers: answers.length,
    failed: answers.filter(([, status]) => status >= 400).length,
    p50: quantile(0.5),
    p99: quantile(0.99),
  }
}
