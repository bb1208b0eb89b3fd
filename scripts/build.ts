// Bundles the service for the image: one file for each process or thread, and chunks for what a start may not need
// (database drivers, Redis, TLS). Source maps lie beside them.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'

const root = join(import.meta.dirname, '..')
const out = join(root, 'dist')

/**
 * Requires these modules of Node instead of importing them: an import reads every export of theirs, and with some of those
 * comes `fetch`, which takes 50 ms of a start and is not used.
 */
const requireHttp: Plugin = {
  name: 'require-http',
  setup(bundle) {
    bundle.onResolve({ filter: /^(node:)?https?$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: 'required' } : undefined,
    )
    bundle.onLoad({ filter: /./, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}

rmSync(out, { recursive: true, force: true })
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['src/main.ts', 'src/migrate.ts', 'src/consent-verify.ts', 'src/store/sqlite/sqlite-worker.ts'],
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  outdir: out,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node26',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'linked',
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  plugins: [requireHttp],
  // The bundled CommonJS packages ask for Node's own modules by this name.
  banner: {
    js: "import { createRequire as $createRequire } from 'node:module';const require = $createRequire(import.meta.url);",
  },
  // Optional natives that pg and others try for: not installed.
  external: ['pg-native'],
})
const bytes = Object.values(metafile.outputs).reduce((sum, { bytes }) => sum + bytes, 0)
console.log(`${Object.keys(metafile.outputs).length} files, ${(bytes / 1024).toFixed(0)} KiB in dist/`)
