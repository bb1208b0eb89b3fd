// The consumers in examples/: that in PHP as it is, the others built outside this repository from generated code.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { buildGoPrograms, generateClient, goLibraries } from './generated-client.ts'
import { root, runProgram } from './process.ts'
import { skipWithout, skipWithoutFile } from './tools.ts'

export const skipWithoutLanguages =
  skipWithout('php', 'protoc', 'grpc_python_plugin', 'python3', 'go', 'gcc', 'protoc-gen-go', 'protoc-gen-go-grpc') ||
  skipWithoutFile('/usr/lib/python3/dist-packages/grpc', 'install python3-grpcio') ||
  skipWithoutFile(`${goLibraries}/src/github.com/mattn/go-sqlite3`, 'install golang-github-mattn-go-sqlite3-dev')

/** How to start one example. */
export interface Program {
  language: string
  command: string[]
  /** How to start the program that submits a lead, if there is one. */
  submit?: string[]
  env?: Record<string, string>
  /** Whether it takes a URL instead of an address. */
  takesUrl?: boolean
}

const builders: Record<string, (folder: string) => Omit<Program, 'language'>> = {
  typescript(folder) {
    generateClient('TypeScript', folder)
    cpSync(join(root, 'examples/typescript'), folder, { recursive: true })
    const run = (file: string) => [process.execPath, join(folder, file)]
    return { command: run('sync-leads.ts'), submit: run('submit-lead.ts'), takesUrl: true }
  },
  python(folder) {
    generateClient('Python', folder)
    cpSync(join(root, 'examples/python'), folder, { recursive: true })
    const run = (file: string) => ['/usr/bin/python3', join(folder, file)]
    return { command: run('sync_leads.py'), submit: run('submit_lead.py'), env: { PYTHONPATH: join(folder, 'gen') } }
  },
  go(folder) {
    const binaries = buildGoPrograms(join(root, 'examples/go'), folder, 'libsqlite3')
    return { command: [join(binaries, 'program')], submit: [join(binaries, 'submit-lead')] }
  },
  php: () => ({ command: ['php', join(root, 'examples/php/follow_leads.php')], takesUrl: true }),
}

/** Builds each example in its own folder. */
export const buildPrograms = (home: string): Program[] =>
  Object.entries(builders).map(([language, build]) => ({ ...build(join(home, language)), language }))

/** A consumer's copy of one lead. */
type Copy = { erased?: boolean; optedOutAt?: string; quoteRequest?: { notes: string } }

const targetOf = ({ takesUrl }: Program, port: number) => `${takesUrl ? 'http://' : ''}127.0.0.1:${port}`

/** Runs the program of a language that submits a lead, and returns its output. */
export async function submitFrom(program: Program, port: number): Promise<string> {
  const [command = '', ...args] = [...(program.submit ?? []), targetOf(program, port)]
  const { stdout, stderr } = await runProgram(command, args, { env: { ...process.env, ...program.env } })
  return `${stdout}${stderr}`
}

export type Consumer = ReturnType<typeof createConsumer>

/** An example with its copy in this folder, connected to a service at this port, that can be killed and restarted. */
export function createConsumer(program: Program, folder: string, port: number, more: Record<string, string> = {}) {
  const { language } = program
  const file = join(folder, `${language}.db`)
  const env = { ...process.env, ...program.env, ...more }
  let child: ChildProcess | undefined
  let output = ''
  return {
    language,
    start() {
      const [command = '', ...args] = [...program.command, targetOf(program, port), file]
      child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], env })
      child.stderr?.on('data', (chunk) => (output += chunk))
    },
    async kill() {
      if (!child || child.exitCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
      child = undefined
    },
    /** Its output so far. */
    output: () => output,
    copies(): Map<string, Copy> {
      try {
        if (language === 'php') return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')).leads))
        using crm = new DatabaseSync(file, { timeout: 5_000 })
        const rows = crm.prepare('SELECT id, lead FROM leads').all() as { id: string; lead: string }[]
        return new Map(rows.map(({ id, lead }) => [id, JSON.parse(lead)]))
      } catch {
        // It has not written anything yet.
        return new Map()
      }
    },
  }
}
