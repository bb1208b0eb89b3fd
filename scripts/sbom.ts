// Writes the software bill of materials of a release: the production packages in the lock file (CycloneDX).
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

interface Bill {
  metadata: { component: { name: string } }
  components: { 'bom-ref': string; externalReferences?: { type: string }[] }[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}

const root = join(import.meta.dirname, '..')
const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))

// Not `--omit=dev`: npm then drops packages that are both production and development dependencies, such as
// @bufbuild/protobuf.
const command = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application']
const bill: Bill = JSON.parse(execFileSync('npm', command, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }))

const { name, version } = readJson('package.json')
const released = new Set([`${name}@${version}`])
for (const [path, entry] of Object.entries<{ version: string; dev?: boolean }>(
  readJson('package-lock.json').packages,
)) {
  if (path && !entry.dev) released.add(`${path.slice(path.lastIndexOf('node_modules/') + 13)}@${entry.version}`)
}
// npm names the root component after its folder.
bill.metadata.component.name = name
bill.components = bill.components.filter((component) => released.has(component['bom-ref']))
for (const component of bill.components) {
  // The download location of a package depends on this machine, not on the release.
  component.externalReferences = component.externalReferences?.filter(({ type }) => type !== 'distribution')
}
bill.dependencies = bill.dependencies
  .filter(({ ref }) => released.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn?.filter((needed) => released.has(needed)) }))

const target = join('dist', 'sbom.cdx.json')
mkdirSync(join(root, 'dist'), { recursive: true })
writeFileSync(join(root, target), `${JSON.stringify(bill, null, 2)}\n`)
console.log(`${bill.components.length} packages in ${target}`)
