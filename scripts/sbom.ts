// Writes the software bill of materials of a release: the production packages in the lock file (CycloneDX).
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

process.chdir(join(import.meta.dirname, '..'))
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
const manifest = readJson('package.json')
const lock = readJson('package-lock.json')

// Without the development packages, in a folder whose name becomes the component's. `--omit=dev` would also drop packages
// that are both production and development dependencies, such as @bufbuild/protobuf.
for (const root of [manifest, lock.packages['']]) delete root.devDependencies
for (const path in lock.packages) if (lock.packages[path].dev) delete lock.packages[path]
const folder = join('dist', manifest.name)
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
const command = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application']
const bill = JSON.parse(execFileSync('npm', command, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 }))
rmSync(folder, { recursive: true })

// The download location of a package depends on this machine, not on the release.
for (const component of bill.components)
  component.externalReferences = component.externalReferences?.filter(
    ({ type }: { type: string }) => type !== 'distribution',
  )
writeFileSync('dist/sbom.cdx.json', `${JSON.stringify(bill, null, 2)}\n`)
console.log(`${bill.components.length} packages in dist/sbom.cdx.json`)
