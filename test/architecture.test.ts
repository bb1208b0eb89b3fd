import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { root } from './support/process.ts'

const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.startsWith('src/gen/'))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** What a file imports: packages by name, our own files by their folder or name below src/. */
function importsOf(file: string): string[] {
  const specifiers = [...read(file).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
    ([, specifier]) => specifier as string,
  )
  return specifiers.map(
    (specifier) => (specifier.startsWith('.') ? join(file, '..', specifier).split('/')[1] : specifier) as string,
  )
}

/** Which of our folders each folder may import: arrows point inward. */
const allowed: Record<string, string[]> = {
  lead: ['gen', 'edit-distance.ts', 'deadline.ts', 'timestamp.ts'],
  problem: ['lead'],
  limit: ['deadline.ts', 'header-fields.ts'],
  store: ['lead', 'deadline.ts'],
  config: ['lead', 'limit', 'edit-distance.ts'],
  connection: ['limit'],
  rest: ['connection', 'lead', 'problem', 'limit', 'config', 'site', 'header-fields.ts', 'trace.ts'],
  rpc: ['connection', 'lead', 'problem', 'gen', 'deadline.ts', 'trace.ts'],
  site: ['problem', 'lead', 'limit', 'gen', 'version.ts'],
  viewer: ['gen', 'config'],
  ops: ['connection', 'lead', 'limit', 'store', 'config', 'deadline.ts', 'timestamp.ts', 'trace.ts'],
}

/** Where each of the large libraries may be imported. */
const homes: [library: RegExp, home: RegExp][] = [
  [/^koa$/, /^src\/rest\//],
  [/^@connectrpc\//, /^src\/(rpc|viewer)\//],
  [/^ioredis$/, /^src\/limit\/redis/],
  [/^rate-limiter-flexible$/, /^src\/limit\/redis/],
  [/^pg$/, /^src\/store\/postgres\//],
  [/^node:sqlite$/, /^src\/store\/sqlite\//],
  [/^prom-client$/, /^src\/ops\//],
  [/^pino/, /^src\/ops\//],
  [/^@opentelemetry\//, /^src\/ops\/(otel|spans)/],
]

suite('the structure of the source', () => {
  for (const file of files) {
    test(`${file} imports only what its place may`, () => {
      const folder = file.split('/')[1] as string
      for (const imported of importsOf(file)) {
        for (const [library, home] of homes)
          if (library.test(imported)) assert.match(file, home, `${file} imports ${imported}`)
        const ours = !imported.includes(':') && files.some((other) => other.split('/')[1] === imported)
        if (ours && imported !== folder && allowed[folder])
          assert(allowed[folder].includes(imported), `${file} imports src/${imported}`)
      }
    })
  }

  test('only what is started by itself hands over the environment', () => {
    const readers = files.filter((file) => read(file).includes('process.env'))
    assert.deepEqual(readers.sort(), [
      'src/backup.ts',
      'src/consent-certificate.ts',
      'src/consent-verify.ts',
      'src/erasures-reapply.ts',
      'src/leads.ts',
      'src/main.ts',
      'src/migrate.ts',
      'src/restore.ts',
    ])
  })
})
