import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../support/process.ts'

interface Bill {
  bomFormat: string
  metadata: { component: { name: string; version: string; type: string } }
  components: Component[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}

interface Component {
  'bom-ref': string
  name: string
  version: string
  purl: string
  hashes?: unknown[]
  licenses?: unknown[]
  externalReferences?: { type: string }[]
}

interface LockedPackage {
  version: string
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
}

const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))

test("npm run sbom lists exactly the lock file's production packages, with hashes and licenses", () => {
  execFileSync('node', ['scripts/sbom.ts'], { cwd: root })
  const bill: Bill = readJson('dist/sbom.cdx.json')
  assert.equal(bill.bomFormat, 'CycloneDX')
  const { name, version } = readJson('package.json')
  const { metadata } = bill
  assert.deepEqual(
    [metadata.component.name, metadata.component.version, metadata.component.type],
    [name, version, 'application'],
  )

  const locked = Object.entries<LockedPackage>(readJson('package-lock.json').packages).filter(([path]) => path !== '')
  const production = locked.filter(([, { dev, devOptional }]) => !dev && !devOptional)
  const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const wanted = new Set(production.map(([path, entry]) => `${nameOf(path)}@${entry.version}`))
  const listed = new Set(bill.components.map((component) => `${component.name}@${component.version}`))
  for (const entry of listed) assert(wanted.has(entry), `${entry} is not released`)
  const needed = production.filter(([, { optional }]) => !optional)
  for (const [path, entry] of needed) assert(listed.has(`${nameOf(path)}@${entry.version}`), path)
  for (const { purl, hashes, licenses, externalReferences } of bill.components) {
    assert(hashes?.length && licenses?.length, purl)
    for (const { type } of externalReferences ?? []) assert.notEqual(type, 'distribution', purl)
  }
  const refs = new Set([`${name}@${version}`, ...bill.components.map((component) => component['bom-ref'])])
  for (const { ref, dependsOn = [] } of bill.dependencies)
    for (const known of [ref, ...dependsOn]) assert(refs.has(known), known)
})
