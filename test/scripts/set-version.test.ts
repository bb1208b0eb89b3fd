import assert from 'node:assert/strict'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, suite, test } from 'node:test'
import { places, setVersion } from '../../scripts/set-version.ts'
import { version } from '../../src/version.ts'
import { root } from '../support/process.ts'

const folder = mkdtempSync(join(tmpdir(), 'version-'))
after(() => rmSync(folder, { recursive: true }))

/** The files that contain the released version. */
const released = globSync(
  [
    'package.json',
    'Dockerfile',
    'compose.yaml',
    'README.md',
    'docs/{kubernetes,operations,vm}.md',
    '{k8s,deploy}/**/*.*',
  ],
  { cwd: root },
)
for (const file of new Set([...released, ...places.map(([file]) => file)])) {
  mkdirSync(join(folder, dirname(file)), { recursive: true })
  cpSync(join(root, file), join(folder, file))
}
const read = (file: string) => readFileSync(join(folder, file), 'utf8')

suite('npm run version:set', () => {
  test('changes nothing when the version is invalid', () => {
    for (const bad of ['', '1.2', 'v1.2.0', '1.2.0 '])
      assert.throws(() => setVersion(folder, bad), /expected a version/)
    assert.equal(JSON.parse(read('package.json')).version, version)
  })

  test('sets the version everywhere', () => {
    setVersion(folder, '98.76.54')
    for (const file of released) {
      assert(
        !new RegExp(`(?<![\\d.])${RegExp.escape(version)}(?![\\d.])`).test(read(file)),
        `${file} still says ${version}`,
      )
    }
    assert.equal(JSON.parse(read('package.json')).version, '98.76.54')
    const lock = JSON.parse(read('package-lock.json'))
    assert.deepEqual([lock.version, lock.packages[''].version], ['98.76.54', '98.76.54'])
  })
})
