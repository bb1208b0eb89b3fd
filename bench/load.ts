import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** The result of a load generator. */
export interface Outcome {
  /** Complete answers. */
  answers: number
  /** Answers with a status of 400 or more. */
  failed: number
  /** Requests without an answer: the connection was refused, broken or timed out. */
  broken: number
  seconds: number
  /** Latency in milliseconds. */
  p50: number
  p99: number
}

/** Runs a load generator in the folder of its scripts and returns its output. Throws when it fails or is not installed. */
async function runTool(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { cwd: join(import.meta.dirname, 'load'), stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${errors || output}`)
  return output
}

interface WrkLoad {
  url: string
  /** A script in `load/`, with its arguments. */
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

interface H2Load {
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
