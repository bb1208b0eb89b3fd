import { type ExecFileOptions, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bundleVariable } from './backends.ts'
import { serviceEnv } from './service.ts'
import { until } from './until.ts'

export const root = join(import.meta.dirname, '..', '..')

/** Starts the service. Without the global setup, from its source. */
export const serviceCommand = [process.execPath, process.env[bundleVariable] ?? 'src/main.ts']

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
  const file = process.env[bundleVariable] ? `dist/${name}.js` : `src/commands/${name}.ts`
  return await runProgram(process.execPath, [file, ...args], { cwd: root, env })
}

/** Runs a program to its end, whatever its exit code. */
export async function runProgram(file: string, args: string[], options: ExecFileOptions = {}) {
  const { code = 0, stdout, stderr } = await promisify(execFile)(file, args, options).catch((failed) => failed)
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
