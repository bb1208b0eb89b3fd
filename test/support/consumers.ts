// The consumers in examples/: that in PHP as it is, the others built outside this repository from generated code.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { skipWithout, skipWithoutFile } from './machine.ts'
import { root, runProgram } from './service.ts'

/** The command for a language in docs/inbox.md. */
function documentedCommand(language: string): string {
  const markdown = readFileSync(join(root, 'docs/inbox.md'), 'utf8')
  const section = markdown.split('## Generate a client')[1]?.split('\n## ')[0] ?? ''
  const command = section.split(`\n${language}, with`)[1]?.match(/```sh\n([\s\S]*?)```/)?.[1]
  assert.ok(command, language)
  return command
}

/** Copies the same files and examples as another team would, and generates a client into `gen/` next to them. */
function generateClient(language: string, folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const name of ['proto', 'third_party']) cpSync(join(root, name), join(folder, name), { recursive: true })
  // Only for the TypeScript command, which runs a plugin from npm, and for its output.
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  execFileSync('sh', ['-ec', documentedCommand(language)], { cwd: folder, stdio: 'pipe' })
  cpSync(join(root, 'examples', language.toLowerCase()), folder, { recursive: true })
}

/** Where Debian installs Go's libraries. */
const goLibraries = '/usr/share/gocode'

/** The example that sends e-mail, and for a test's `skip`. */
export const mailHome = join(root, 'examples/leads-to-mail')
export const skipWithoutMail = skipWithoutFile(
  join(mailHome, 'node_modules'),
  'run `npm ci --prefix examples/leads-to-mail`',
)

export const skipWithoutExamples =
  skipWithoutMail ||
  skipWithout('php', 'protoc', 'grpc_python_plugin', 'python3', 'go', 'gcc', 'protoc-gen-go', 'protoc-gen-go-grpc') ||
  skipWithout('javac', 'grpc_java_plugin') ||
  skipWithoutFile('/usr/lib/python3/dist-packages/grpc', 'install python3-grpcio') ||
  skipWithoutFile(`${goLibraries}/src/github.com/mattn/go-sqlite3`, 'install golang-github-mattn-go-sqlite3-dev')

/** How to start the examples in one language: the program that keeps a copy, and the one that submits a lead. */
export interface Program {
  language: string
  command?: string[]
  submit?: string[]
  env?: Record<string, string>
  /** Whether it takes a URL instead of an address. */
  takesUrl?: boolean
}

const builders: Record<string, (folder: string) => Omit<Program, 'language'>> = {
  typescript(folder) {
    generateClient('TypeScript', folder)
    const run = (file: string) => [process.execPath, join(folder, file)]
    return { command: run('sync-leads.ts'), submit: run('submit-lead.ts'), takesUrl: true }
  },
  python(folder) {
    generateClient('Python', folder)
    const run = (file: string) => ['/usr/bin/python3', join(folder, file)]
    return { command: run('sync_leads.py'), submit: run('submit_lead.py'), env: { PYTHONPATH: join(folder, 'gen') } }
  },
  go(folder) {
    generateClient('Go', folder)
    const home = join(folder, 'go/src/leadintake.example')
    mkdirSync(home, { recursive: true })
    cpSync(join(folder, 'gen'), join(home, 'gen'), { recursive: true })
    cpSync(join(root, 'examples/go'), join(home, 'program'), { recursive: true })
    cpSync(join(root, 'test/fixtures/debian-codec.go'), join(home, 'gen/leadintake/v1/debian.go'))
    // GOPATH finds Debian's libraries, without modules and without a network.
    const env = { ...process.env, GO111MODULE: 'off', GOFLAGS: '', GOPATH: `${join(folder, 'go')}:${goLibraries}` }
    const build = ['build', '-tags', 'libsqlite3', '-o', 'bin/', 'leadintake.example/program/...']
    execFileSync('go', build, { cwd: folder, env, stdio: 'pipe' })
    return { command: [join(folder, 'bin/program')], submit: [join(folder, 'bin/submit-lead')] }
  },
  java(folder) {
    generateClient('Java', folder)
    const jars = globSync('/usr/share/java/{geronimo-annotation,grpc-,guava,netty,opencensus-api,perfmark,proto}*.jar')
    const path = [folder, ...jars].join(':')
    const compile = `javac -cp ${path} -d . *.java $(find gen -name '*.java')`
    execFileSync('sh', ['-c', compile], { cwd: folder, stdio: 'pipe' })
    return { submit: ['java', '-cp', path, 'SubmitLead'] }
  },
  php: () => ({ command: ['php', join(root, 'examples/php/follow_leads.php')], takesUrl: true }),
}

/** Builds the examples, each in its own folder. */
export const buildPrograms = (home: string, languages = Object.keys(builders)): Program[] =>
  languages.map((language) => ({ ...builders[language]?.(join(home, language)), language }))

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
      const [command = '', ...args] = [...(program.command ?? []), targetOf(program, port), file]
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
