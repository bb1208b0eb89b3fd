// Bundles the service, for the image and for `npm start`: one file for each process or thread, and files with chunks for the
// commands. Source maps lie beside them. With `--if-stale`, only if a source is newer.
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { basename, join } from 'node:path'
import type { OutputFile, Plugin } from 'esbuild'

const root = join(import.meta.dirname, '..')
const out = join(root, 'dist')
const entry = join(out, 'main.js')

/**
 * Requires Node's own modules instead of importing them: an import reads every export, and some of those load what is never
 * used (`fetch`, `MIMEType`), which takes tens of milliseconds of a start.
 */
const requireBuiltins: Plugin = {
  name: 'require-builtins',
  setup(bundle) {
    const bare = builtinModules.filter((name) => !name.includes(':')).join('|')
    bundle.onResolve({ filter: new RegExp(`^(node:.+|${bare})$`) }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: 'required' } : undefined,
    )
    bundle.onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}

/**
 * Leaves out the table of all media types: Koa brings it twice and indexes it at the start, for getters and setters of its
 * context that this service does not use.
 */
const withoutMediaTypes: Plugin = {
  name: 'without-media-types',
  setup(bundle) {
    bundle.onLoad({ filter: /[\\/]mime-db[\\/]db\.json$/ }, () => ({ contents: '{}', loader: 'json' }))
  },
}

/** What the bundle is made from: the source and its folders, the packages as installed, and this script. */
function isStale(): boolean {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((name) => join('src', name))
  const inputs = ['src', ...sources, 'scripts/build.ts', 'package-lock.json', 'node_modules/.package-lock.json']
  const timeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const builtAt = timeOf(entry)
  return inputs.some((input) => timeOf(join(root, input)) > builtAt)
}

/**
 * Writes what has changed and removes what is no longer made, so that a service that runs from this folder meanwhile keeps
 * its chunks. The entry file comes last, always: its time says when the bundle was complete.
 */
function write(files: readonly OutputFile[]): void {
  mkdirSync(out, { recursive: true })
  for (const { path, contents } of files.toSorted((a, b) => Number(a.path === entry) - Number(b.path === entry))) {
    if (path !== entry && isSame(path, contents)) continue
    const half = `${path}.${process.pid}`
    writeFileSync(half, contents)
    renameSync(half, path)
  }
  const made = new Set(files.map(({ path }) => basename(path)))
  for (const name of readdirSync(out)) {
    if (/\.js(\.map|\.LEGAL\.txt)?$/.test(name) && !made.has(name)) rmSync(join(out, name))
  }
}

function isSame(path: string, contents: Uint8Array): boolean {
  return statSync(path, { throwIfNoEntry: false })?.size === contents.length && readFileSync(path).equals(contents)
}

/**
 * What is bundled together shares its files. The service is one file, since each further one costs a start a millisecond;
 * what a start may not need (database drivers, Redis, traces) lies in it too, and runs when it is asked for.
 */
const bundles = [
  ['src/main.ts'],
  // Threads and processes that are started by it, later.
  ['src/store/sqlite/sqlite-worker.ts'],
  ['src/site/render-process.ts'],
  ['src/leads.ts'],
  [
    'src/migrate.ts',
    'src/backup.ts',
    'src/restore.ts',
    'src/consent-verify.ts',
    'src/consent-certificate.ts',
    'src/erasures-reapply.ts',
  ],
]

async function bundle(entryPoints: string[]): Promise<readonly OutputFile[]> {
  // Loaded here only: most starts find the bundle fresh.
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints,
    entryNames: '[name]',
    chunkNames: '[name]-[hash]',
    outdir: out,
    bundle: true,
    splitting: entryPoints.length > 1,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'linked',
    sourcemap: 'linked',
    sourcesContent: false,
    write: false,
    plugins: [requireBuiltins, withoutMediaTypes],
    // The bundled CommonJS packages ask for Node's own modules by this name.
    banner: {
      js: "import { createRequire as $createRequire } from 'node:module';const require = $createRequire(import.meta.url);",
    },
    // Optional natives that pg and others try for: not installed.
    external: ['pg-native'],
  })
  return outputFiles
}

/** What `src/site/files.ts` reads: the pages are files, beside the bundle too. */
function copyPages(): void {
  for (const name of ['content', 'layout.html', 'style.css'])
    cpSync(join(root, 'src/site', name), join(out, name), { recursive: true })
}

if (!process.argv.includes('--if-stale') || isStale()) {
  const files = (await Promise.all(bundles.map(bundle))).flat()
  copyPages()
  write(files)
  const bytes = files.reduce((sum, { contents }) => sum + contents.length, 0)
  console.log(`${files.length} files, ${(bytes / 1024).toFixed(0)} KiB in dist/`)
}
