import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'

const root = join(import.meta.dirname, '..')
const guide = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')

suite('CONTRIBUTING.md', () => {
  test('names only files that exist', () => {
    const named = [
      ...guide.matchAll(/`((?:src|test|docs|proto|scripts|\.ci)\/[\w./-]+|CHANGELOG\.md)`|\]\(([^):]+)\)/g),
    ]
    const paths = named.map(([, inCode, linked]) => (inCode ?? linked) as string)
    assert(paths.length > 25, `${paths.length}`)
    // What the recipe for a version makes.
    for (const path of paths.filter((one) => one !== 'proto/leadintake/v2/')) assert(existsSync(join(root, path)), path)
  })

  test('names only scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    for (const [, script = ''] of guide.matchAll(/npm run ([\w:]+)/g)) assert(script in scripts, script)
  })

  test('adds an optional field with a pattern that refuses what its comment says', () => {
    const written = /^ *pattern: ("\^.*")$/m.exec(guide)?.[1] ?? '""'
    const pattern = new RegExp(JSON.parse(written), 'u')
    const taken = ['on the street', '', 'a\0b', 'a\u202eb'].map((text) => pattern.test(text))
    assert.deepEqual(taken, [true, false, false, false])
  })
})
