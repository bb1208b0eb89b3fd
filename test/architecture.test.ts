import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import { suite, test } from 'node:test'

const root = join(import.meta.dirname, '..')

const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.startsWith('src/gen/'))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

/** What a file imports of ours, apart from generated code, by path. */
const importsOf = (file: string) =>
  Array.from(read(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g), ([, path = '']) =>
    normalize(join(file, '..', path)),
  ).filter((path) => path.startsWith('src/') && !path.startsWith('src/gen/'))

const imports = new Map(files.map((file) => [file, importsOf(file)]))

/** The folder below `src/` that contains a file, or the file's own name. */
const placeOf = (file: string) => file.split('/')[1] as string

/** The places that each place imports from. */
const arrows = new Map<string, Set<string>>()
for (const [file, imported] of imports)
  for (const other of imported.map(placeOf))
    if (other !== placeOf(file)) arrows.set(placeOf(file), (arrows.get(placeOf(file)) ?? new Set()).add(other))

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
    assert.deepEqual(written, found.sort(), 'docs/architecture.md, "What may import what"')
  })

  test('has no import cycles, between folders or between files', () => {
    assert.deepEqual(cyclesIn(new Map(Array.from(arrows, ([from, to]) => [from, [...to]]))), [])
    assert.deepEqual(cyclesIn(imports), [])
  })
})
