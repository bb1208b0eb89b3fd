import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { exampleCurl } from '../src/banner.ts'
import { settings } from '../src/config/settings.ts'
import { root } from './support/process.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const readme = read('README.md')
const manifest = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>
  dependencies: Record<string, string>
}

suite('the README', () => {
  test('names only settings that exist, and links to all of them', () => {
    const table = /## Configuration\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? ''
    assert.match(table, /\(docs\/settings\.md\)/)
    const names = [...table.matchAll(/`([A-Z][A-Z_]+)`/g)].map(([, name = '']) => name)
    assert(names.length > 10)
    for (const name of names) assert(Object.hasOwn(settings, name), name)
  })

  test('gives a reason for every dependency', () => {
    for (const name of Object.keys(manifest.dependencies)) assert(readme.includes(`\`${name}\``), name)
  })

  test('shows the same curl command as npm start', () => {
    const shown = exampleCurl('http://localhost:8080').replace(/^ {2}/gm, '')
    assert(readme.includes(shown), shown)
  })

  test('names only scripts that exist', () => {
    for (const [, script] of readme.matchAll(/npm run ([a-z:]+)/g))
      assert(manifest.scripts[script as string], `npm run ${script}`)
  })
})
