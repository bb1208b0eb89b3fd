import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { suite, test } from 'node:test'
import { root } from './support/process.ts'

const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.startsWith('src/gen/'))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** The imports of a file: packages by name, our own files by path. */
function importsOf(file: string): string[] {
  return [...read(file).matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, specifier = '']) =>
    specifier.startsWith('.') ? normalize(join(file, '..', specifier)) : specifier,
  )
}

const imports = new Map(files.map((file) => [file, importsOf(file)]))
const isOurs = (imported: string) => imported.startsWith('src/') && !imported.startsWith('src/gen/')

/** The folder below `src/` that contains a file, or the file's own name. */
const placeOf = (file: string) => file.split('/')[1] as string

/** The places that each place imports from. */
const arrows = new Map<string, Set<string>>()
for (const [file, imported] of imports) {
  for (const other of imported.filter(isOurs)) {
    if (placeOf(other) === placeOf(file)) continue
    const targets = arrows.get(placeOf(file)) ?? new Set()
    arrows.set(placeOf(file), targets.add(placeOf(other)))
  }
}

/** Which places may import each of the large libraries. */
const homes: [library: RegExp, home: RegExp][] = [
  [/^koa$/, /^src\/rest\//],
  [/^@connectrpc\//, /^src\/(rpc|commands\/leads)\//],
  [/^ioredis$/, /^src\/limit\/redis/],
  [/^pg$/, /^src\/store\/postgres\//],
  [/^node:sqlite$/, /^src\/store\/sqlite\//],
  [/^prom-client$/, /^src\/ops\//],
  [/^pino/, /^src\/ops\//],
  [/^@opentelemetry\//, /^src\/ops\/traces\.ts$/],
]

/** What is left of a graph when all that leads to no cycle is removed. */
function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const left = new Map(graph)
  const leaves = () => [...left].filter(([, targets]) => !targets.some((target) => left.has(target)))
  for (let found = leaves(); found.length > 0; found = leaves()) for (const [node] of found) left.delete(node)
  return [...left.keys()]
}

suite('the structure of the source', () => {
  test('has exactly the imports between folders that docs/architecture.md lists', () => {
    const listed = /```imports\n([\s\S]*?)```/.exec(readFileSync(join(root, 'docs/architecture.md'), 'utf8'))?.[1] ?? ''
    const written = listed
      .trim()
      .split('\n')
      .map((line) => line.replace(/#.*/, '').trim().replaceAll(/\s+/g, ' '))
    const found = [...arrows].map(([from, to]) => `${from} → ${[...to].sort().join(' ')}`)
    assert.deepEqual(written, found.sort(), 'docs/architecture.md, "Who may import whom"')
  })

  test('has no import cycles, between folders or between files', () => {
    assert.deepEqual(cyclesIn(new Map(Array.from(arrows, ([from, to]) => [from, [...to]]))), [])
    assert.deepEqual(cyclesIn(imports), [])
  })

  test('imports each large library only where it is allowed', () => {
    for (const [file, imported] of imports) {
      for (const [library, home] of homes)
        for (const name of imported.filter((one) => library.test(one)))
          assert.match(file, home, `${file} imports ${name}`)
    }
  })
})
