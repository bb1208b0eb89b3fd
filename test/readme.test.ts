import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { exampleCurl } from '../src/local.ts'
import { root } from './support/process.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const readme = read('README.md')
const manifest = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>
  dependencies: Record<string, string>
}

suite('the README', () => {
  test('names every setting, says which can come from a file, and names no other', () => {
    const reads = [...read('src/config/config.ts').matchAll(/read\.(value|secret)\('([A-Z_]+)'/g)]
    const named = [...read('src/config/config.ts').matchAll(/'(INTERNAL_TLS_[A-Z_]+)'/g)].map(
      ([, name]) => name as string,
    )
    const secrets = new Set([
      ...reads.filter(([, kind]) => kind === 'secret').map(([, , name]) => name as string),
      ...named,
    ])
    const settings = new Set([...reads.map(([, , name]) => name as string), ...named])
    const table = readme.slice(
      readme.indexOf('## Configuration'),
      readme.indexOf('## ', readme.indexOf('## Configuration') + 5),
    )
    const rows = [...table.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell]) => cell as string)
    const documented = rows.flatMap((cell) => [...cell.matchAll(/`([A-Z_]+)`(†?)/g)])
    assert.deepEqual(new Set(documented.map(([, name]) => name)), settings)
    assert.deepEqual(new Set(documented.filter(([, , star]) => star).map(([, name]) => name)), secrets)
  })

  test('gives a reason for every dependency', () => {
    for (const name of Object.keys(manifest.dependencies)) assert(readme.includes(`\`${name}\``), name)
  })

  test('shows the curl that npm start prints', () => {
    const shown = exampleCurl('http://localhost:8080').replace(/^ {2}/gm, '')
    assert(readme.includes(shown), shown)
  })

  test('names scripts that exist', () => {
    for (const [, script] of readme.matchAll(/npm run ([a-z:]+)/g))
      assert(manifest.scripts[script as string], `npm run ${script}`)
  })
})
