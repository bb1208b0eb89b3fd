import type { Outcome } from './outcome.ts'
import { runTool } from './run-tool.ts'

export interface WrkLoad {
  url: string
  /** A script in this folder, with its arguments. */
  script: string
  args?: readonly string[]
  headers?: Readonly<Record<string, string>>
  connections: number
  seconds: number
}

/** Loads an HTTP/1.1 server over keep-alive connections, each with one request at a time. */
export async function runWrk({
  url,
  script,
  args = [],
  headers = {},
  connections,
  seconds,
}: WrkLoad): Promise<Outcome> {
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const load = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', script, ...fields]
  const output = await runTool('wrk', [...load, url, '--', ...args])
  const report = JSON.parse(output.trim().split('\n').at(-1) as string)
  return {
    answers: report.answers,
    failed: report.failed,
    broken: report.broken,
    seconds: report.duration / 1e6,
    p50: report.p50 / 1000,
    p99: report.p99 / 1000,
  }
}
