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
  [/^@connectrpc\//, /^src\/(rpc|viewer)\//],
  [/^ioredis$/, /^src\/limit\/redis/],
  [/^pg$/, /^src\/store\/postgres\//],
  [/^node:sqlite$/, /^src\/store\/sqlite\//],
  [/^prom-client$/, /^src\/ops\//],
  [/^pino/, /^src\/ops\//],
]

/** The first cycle of a graph, if any. */
function circleIn(graph: ReadonlyMap<string, Iterable<string>>): string | undefined {
  const done = new Set<string>()
  function visit(node: string, path: readonly string[]): string | undefined {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node].join(' → ')
    if (done.has(node)) return undefined
    for (const next of graph.get(node) ?? []) {
      const circle = visit(next, [...path, node])
      if (circle) return circle
    }
    done.add(node)
    return undefined
  }
  for (const node of graph.keys()) {
    const circle = visit(node, [])
    if (circle) return circle
  }
  return undefined
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
    assert.equal(circleIn(arrows), undefined)
    assert.equal(circleIn(new Map([...imports].map(([file, all]) => [file, all.filter(isOurs)]))), undefined)
  })

  test('imports each large library only where it is allowed', () => {
    for (const [file, imported] of imports) {
      for (const [library, home] of homes)
        for (const name of imported.filter((one) => library.test(one)))
          assert.match(file, home, `${file} imports ${name}`)
    }
  })
})

suite('citations of documents', () => {
  const specification = readFileSync(join(root, 'docs/specification.md'), 'utf8')
  const sections = new Set([...specification.matchAll(/^## (\w+)\. /gm)].map(([, section]) => section))

  test('refer to existing sections of docs/specification.md', () => {
    assert(sections.size > 10)
    const all = [...globSync('{src,test,scripts,docs}/**/*.{ts,md}', { cwd: root }), 'README.md']
    let citations = 0
    for (const file of all) {
      for (const [, list = ''] of read(file).matchAll(/specification\.md((?:,? (?:and )?§\d\w*)+)/g)) {
        for (const [, section] of list.matchAll(/§(\d\w*)/g)) {
          assert(sections.has(section), `${file} cites §${section}`)
          citations++
        }
      }
    }
    assert(citations > 10, `${citations}`)
  })
})
