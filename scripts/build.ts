// Bundles the service, for the image and for `npm start`: one file per process or thread, and files with chunks for the
// commands, with source maps next to them. With `--if-stale`, only if a source file is newer.
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { basename, join } from 'node:path'
import type { OutputFile, Plugin } from 'esbuild'
import { youngFunctions } from './young-functions.ts'

const root = join(import.meta.dirname, '..')
const out = join(root, 'dist')
const entry = join(out, 'main.js')

/**
 * Uses `require` for Node's own modules, and reads only the exports that are used. An `import` evaluates all of them,
 * and some of those load code that is never used (`fetch`, `MIMEType`), which adds tens of milliseconds to the start.
 * Each export becomes a constant of the bundle. The bundler's own form of a required module is an object of getters,
 * and every call of `hash` or `randomUUIDv7` would run one.
 */
const requireBuiltins: Plugin = {
  name: 'require-builtins',
  setup(bundle) {
    const bare = builtinModules.filter((name) => !name.includes(':')).join('|')
    bundle.onResolve({ filter: new RegExp(`^(node:.+|${bare})$`) }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: 'required', sideEffects: false } : undefined,
    )
    bundle.onLoad({ filter: /./, namespace: 'required' }, async ({ path }) => {
      const { default: _, ...named } = await import(path)
      const constants = Object.keys(named).map(
        (name) => `export const ${name} = /* @__PURE__ */ (() => builtin[${JSON.stringify(name)}])()`,
      )
      return {
        contents: [`const builtin = require(${JSON.stringify(path)})`, 'export default builtin', ...constants].join(
          '\n',
        ),
      }
    })
  },
}

/**
 * Omits the table of all media types. Koa includes it twice and indexes it at the start, for context getters and
 * setters that this service does not use.
 */
const withoutMediaTypes: Plugin = {
  name: 'without-media-types',
  setup(bundle) {
    bundle.onLoad({ filter: /[\\/]mime-db[\\/]db\.json$/ }, () => ({ contents: '{}', loader: 'json' }))
  },
}

/** The inputs of the bundle: the source folders, the installed packages, and this script. */
function isStale(): boolean {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((name) => join('src', name))
  const inputs = [
    'src',
    ...sources,
    'scripts/build.ts',
    'scripts/young-functions.ts',
    'package-lock.json',
    'node_modules/.package-lock.json',
  ]
  const timeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const builtAt = timeOf(entry)
  return inputs.some((input) => timeOf(join(root, input)) > builtAt)
}

/**
 * Writes changed files and removes obsolete ones, so that a service running from this folder keeps its chunks. The
 * entry file is always written last: its modification time marks a complete bundle.
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
 * Entries that are bundled together share files. The service is one file, because each additional one adds a
 * millisecond to the start. Code that a start may not need (database drivers, Redis) is in it too, but runs
 * only when requested.
 */
const bundles = [
  ['src/main.ts'],
  // Threads and processes that it starts later.
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
  // Loaded on demand: most starts find the bundle up to date.
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
    plugins: [requireBuiltins, withoutMediaTypes, youngFunctions],
    // The bundled CommonJS packages call `require` for Node's own modules.
    banner: {
      js: "import { createRequire as $createRequire } from 'node:module';const require = $createRequire(import.meta.url);",
    },
    // Optional native modules that pg and others try to load. Not installed.
    external: ['pg-native'],
  })
  return outputFiles
}

/** The files that `src/site/files.ts` reads. The bundle needs copies of them. */
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
