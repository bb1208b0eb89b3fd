import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { root } from './support/process.ts'

interface Locked {
  version: string
  integrity?: string
  hasInstallScript?: boolean
  os?: string | string[]
  cpu?: string | string[]
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const lock: Record<string, Locked> = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
const packages = Object.entries(lock).filter(([path]) => path !== '')

suite('what npm ci installs', () => {
  test('is listed in the lock file, with its hash', () => {
    // Packages for other platforms are not installed here. Their hashes are in the lock file once they were installed
    // elsewhere.
    const installed = packages.filter(([path]) => existsSync(join(root, path)))
    assert(installed.length > 100)
    for (const [path, { integrity }] of installed) assert.match(integrity ?? '', /^sha512-/, path)
  })

  test('includes the required Node, the same version on every platform, without an install script', () => {
    const runtimes = packages.filter(([path]) => Object.keys(manifest.optionalDependencies).includes(nameOf(path)))
    assert.deepEqual(runtimes.map(([, { os, cpu }]) => `${os}-${cpu}`).sort(), [
      'darwin-arm64',
      'darwin-x64',
      'linux-arm64',
      'linux-x64',
      'win32-x64',
    ])
    for (const [path, { version, integrity, hasInstallScript }] of runtimes) {
      assert.match(integrity ?? '', /^sha512-/, path)
      assert.equal(`v${version}`, process.version, path)
      assert(!hasInstallScript, path)
    }
  })

  test('runs no install scripts except those listed in package.json', () => {
    for (const [path, { hasInstallScript }] of packages)
      if (hasInstallScript)
        assert(Object.hasOwn(manifest.allowScripts, nameOf(path)) || path.includes('fsevents'), path)
  })

  test('has exact versions', () => {
    const { dependencies, devDependencies, optionalDependencies } = manifest
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }))
      assert.match(String(version), /^\d+\.\d+\.\d+$/, name)
  })
})

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}
