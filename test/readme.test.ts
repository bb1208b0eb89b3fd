import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { printSettings } from '../scripts/generate/settings-table.ts'
import { exampleCurl } from '../src/banner.ts'
import { root } from './support/process.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const readme = read('README.md')
const manifest = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>
  dependencies: Record<string, string>
}

suite('the README', () => {
  test('has the current settings table', () => {
    assert(readme === printSettings(readme), 'run `npm run generate`')
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
