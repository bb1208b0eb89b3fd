import { type ExecFileOptions, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { promisify } from 'node:util'
import { type Client, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import pino from 'pino'
import { createApp } from '../../src/app/app.ts'
import type { Overrides } from '../../src/app/core.ts'
import { readConfig } from '../../src/config/config.ts'
import { LeadInboxService } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { LeadIntakeService } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { describeError } from '../../src/ops/log.ts'
import { variables } from './backends.ts'
import { newFolder } from './machine.ts'
import { freePorts } from './ports.ts'
import { until } from './until.ts'

/** A service in this process, on its own loopback ports. */
export type Service = Awaited<ReturnType<typeof startService>>

/** An environment for a test's own service: SQLite in a folder that `dispose` removes. */
export async function serviceEnv(env: Record<string, string> = {}) {
  const folder = newFolder()
  const [port, internalPort, opsPort] = await freePorts(3)
  const all: Record<string, string> = {
    ...{ PORT: `${port}`, INTERNAL_PORT: `${internalPort}`, OPS_PORT: `${opsPort}` },
    ...{ HOST: '127.0.0.1', OPS_HOST: '127.0.0.1', TRUSTED_PROXIES: 'loopback' },
    ...{ TEST_LEADS: 'accept', DRAIN_SECONDS: '0', DATABASE_URL: `sqlite:${join(folder, 'leads.db')}` },
    ...env,
  }
  return {
    env: all,
    url: `http://127.0.0.1:${all.PORT}`,
    internalUrl: `http://127.0.0.1:${all.INTERNAL_PORT}`,
    opsUrl: `http://127.0.0.1:${all.OPS_PORT}`,
    databaseUrl: all.DATABASE_URL as string,
    folder,
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Creates and starts a service. `BASE_URL` defaults to its own origin. */
export async function startService(env: Record<string, string> = {}, overrides: Overrides = {}) {
  const place = await serviceEnv(env)
  /** Its log so far, one JSON line each. */
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const log = pino({ level: 'info', serializers: { err: describeError } }, sink)
  const app = await createApp(readConfig({ BASE_URL: place.url, ...place.env }), log, overrides)
  await app.start()
  let stopping: Promise<void> | undefined
  const stop = () => (stopping ??= app.stop().then(place.dispose))
  return { ...place, log: () => lines.join(''), stop, [Symbol.asyncDispose]: stop }
}

export const root = join(import.meta.dirname, '..', '..')

/** Starts the service. Without the global setup, from its source. */
export const serviceCommand = [process.execPath, process.env[variables.bundle] ?? 'src/main.ts']

/** A service in separate processes, in its own process group. */
export type RunningService = Awaited<ReturnType<typeof run>>

/** Runs a command with a separate environment, which contains a service's settings. */
export async function run(command: string[], env: Record<string, string> = {}, { cwd = root } = {}) {
  const place = await serviceEnv(env)
  const [file = '', ...args] = command
  const all = { PATH: process.env.PATH, HOME: process.env.HOME, ...place.env } as NodeJS.ProcessEnv
  const child = spawn(file, args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: all })
  /** So far, stdout and stderr. */
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  /** The exit code, or the signal that ended it. */
  const exited = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  /** Signals the whole process group. */
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-(child.pid as number), name)
    } catch {
      // The process group has already ended.
    }
  }
  const dispose = async () => {
    signal('SIGKILL')
    await exited
    place.dispose()
  }
  return { ...place, child, output: () => output, signal, exited, dispose, [Symbol.asyncDispose]: dispose }
}

/** Runs one of the service's commands to its end, with these settings alone: from the bundle, which starts sooner. */
export async function runCommand(name: string, args: string[], settings: Record<string, string>) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...settings } as NodeJS.ProcessEnv
  const file = process.env[variables.bundle] ? `dist/${name}.js` : `src/commands/${name}.ts`
  return await runProgram(process.execPath, [file, ...args], { cwd: root, env })
}

/** Runs a program to its end. Rejects unless its exit code is 0. */
export const execute = promisify(execFile)

/** Runs a program to its end, whatever its exit code. */
export async function runProgram(file: string, args: string[], options: ExecFileOptions = {}) {
  const { code = 0, stdout, stderr } = await execute(file, args, options).catch((failed) => failed)
  return { code: code as number | string, stdout: String(stdout), stderr: String(stderr) }
}

/** The resident memory of a process, in MiB. Linux only. */
export function memoryOf({ child }: RunningService): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024
}

/** Runs the service and waits until it can store leads. */
export async function runService(env: Record<string, string> = {}, command = serviceCommand, place?: { cwd: string }) {
  const service = await run(command, env, place)
  try {
    await until('the service is ready', async () => {
      if (service.child.exitCode !== null) return true
      return (await fetch(`${service.opsUrl}/readyz`)).ok
    })
    if (service.child.exitCode !== null) throw new Error('it has ended')
    return service
  } catch (cause) {
    await service.dispose()
    throw new Error(`The service did not become ready:\n${service.output()}`, { cause })
  }
}

/** Runs it with the heap of the manifest's pod (384 MiB). Without that, V8 sizes its heap by the machine. */
export const runInPod = (env: Record<string, string> = {}, heapMiB = 192) =>
  runService(env, [process.execPath, `--max-old-space-size=${heapMiB}`, ...serviceCommand.slice(1)])

/** Waits until a service has printed a text. */
export async function untilPrinted(service: RunningService, text: string): Promise<void> {
  const printed = () => service.output().includes(text)
  await until(`the service prints ${text}`, () => printed() || service.child.exitCode !== null)
  if (!printed()) throw new Error(`The service ended and did not print ${text}:\n${service.output()}`)
}

/** A typed client of the inbox, like those of the business's services. TLS options are those of Node's `connect`. */
export function inboxClient(internalUrl: string, nodeOptions: object = {}): Client<typeof LeadInboxService> {
  return createClient(LeadInboxService, createGrpcTransport({ baseUrl: internalUrl, nodeOptions }))
}

/** A typed client of the internal listener that submits leads. */
export function intakeClient(internalUrl: string, nodeOptions: object = {}): Client<typeof LeadIntakeService> {
  return createClient(LeadIntakeService, createGrpcTransport({ baseUrl: internalUrl, nodeOptions }))
}
