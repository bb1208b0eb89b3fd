import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { root } from '../support/process.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const { version, scripts }: { version: string; scripts: Record<string, string> } = JSON.parse(read('package.json'))

suite('a release', () => {
  const changelog = read('CHANGELOG.md')
  const entries = [...changelog.matchAll(/^## \[(.+)\](?: - (\d{4}-\d{2}-\d{2}))?$/gm)]

  test('has changelog entries, newest first, with dates and kinds of changes', () => {
    assert.equal(entries[0]?.[1], 'Unreleased')
    assert.equal(entries[1]?.[1], version)
    for (const [, name, date] of entries.slice(1)) assert(date && !Number.isNaN(Date.parse(date)), `${name}`)
    const kinds = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security']
    for (const [, kind] of changelog.matchAll(/^### (.+)$/gm)) assert(kinds.includes(kind as string), `${kind}`)
  })

  test("says how to report a vulnerability, with the service's own address", () => {
    const policy = read('SECURITY.md')
    assert(policy.includes('/.well-known/security.txt') && policy.includes('`BUSINESS_EMAIL`'))
    assert.doesNotMatch(policy, /[\w.]+@[\w-]+\.\w+/)
    assert(policy.includes(`| ${version.split('.')[0]}.x, the newest release |`))
    for (const [, script] of policy.matchAll(/npm run ([a-z:]+)/g))
      assert(scripts[script as string], `npm run ${script}`)
  })
})
