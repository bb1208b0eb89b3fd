// Bundles the service for the image and for `npm start`: a file for each process, thread and command, files that they
// share, and source maps. With `--if-stale`, only if a source file is newer. With `--local`, as `npm start`: the same,
// and then runs the service.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')
const out = join(root, 'dist')

const entryPoints = [
  'src/main.ts',
  // A thread that it starts later.
  'src/store/sqlite/sqlite-worker.ts',
  // Commands for operators.
  'src/commands/leads.ts',
  'src/commands/do-not-contact.ts',
  'src/commands/erase.ts',
  'src/commands/migrate.ts',
  'src/commands/backup.ts',
  'src/commands/restore.ts',
  'src/commands/move.ts',
  'src/commands/consent-record.ts',
  'src/commands/reapply.ts',
]

function isStale(): boolean {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((name) => join('src', name))
  const inputs = ['src', ...sources, 'scripts/build.ts', 'package-lock.json', 'node_modules/.package-lock.json']
  const timeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const builtAt = timeOf(join(out, 'main.js'))
  return inputs.some((input) => timeOf(join(root, input)) > builtAt)
}

async function bundle(): Promise<void> {
  // Loaded on demand: most starts find the bundle up to date.
  const { build, stop } = await import('esbuild')
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out)
  // What `src/site/documents.ts` reads.
  cpSync(join(root, 'src/site/static'), join(out, 'static'), { recursive: true })
  cpSync(join(root, 'src/gen/site'), join(out, 'site'), { recursive: true })
  // The template of `src/consent/record-page.ts`, and the list of `possible-opt-out.ts`.
  for (const name of ['record.html', 'opt-out-phrases.txt']) cpSync(join(root, 'src/consent', name), join(out, name))
  await build({
    absWorkingDir: root,
    entryPoints,
    entryNames: '[name]',
    outdir: out,
    bundle: true,
    splitting: true,
    // Without comments it is ASCII, which V8 keeps in half the memory. A crash prints a whole line, so lines are short.
    minifyWhitespace: true,
    lineLimit: 160,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    legalComments: 'linked',
    sourcemap: 'linked',
    sourcesContent: false,
    // The bundled CommonJS packages call `require` for Node's own modules.
    banner: {
      js: "import { createRequire as $createRequire } from 'node:module';const require = $createRequire(import.meta.url);",
    },
    // Optional native module that pg tries to load. Not installed.
    external: ['pg-native'],
    // For `src/ops/clocks.ts`. Builders whose images are reproducible set the variable, in seconds.
    define: { bundledMs: String(Number(process.env.SOURCE_DATE_EPOCH) * 1_000 || Date.now()) },
  })
  await stop()
  // esbuild escapes texts, but not regular expressions.
  for (const name of readdirSync(out).filter((name) => name.endsWith('.js'))) {
    const code = readFileSync(join(out, name), 'utf8')
    const ascii = code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    if (ascii !== code) writeFileSync(join(out, name), ascii)
  }
}

const isLocal = process.argv.includes('--local')
if (!(isLocal || process.argv.includes('--if-stale')) || isStale()) await bundle()
if (isLocal) await import(pathToFileURL(join(out, 'main.js')).href)
