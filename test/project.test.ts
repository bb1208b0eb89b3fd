import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { root } from './support/process.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const { dependencies, devDependencies, engines, optionalDependencies, version } = JSON.parse(read('package.json'))

test('npm ci installs exact versions, and the Node of .node-version, which every other place names too', () => {
  const direct: Record<string, string> = { ...dependencies, ...devDependencies, ...optionalDependencies }
  for (const [name, exact] of Object.entries(direct)) assert.match(exact, /^\d+\.\d+\.\d+$/, name)
  const node = read('.node-version').trim()
  assert.deepEqual(Object.values(optionalDependencies), Array(5).fill(node))
  assert.equal(engines.node, `>=${node}`)
  for (const file of ['Dockerfile', 'examples/leads-to-mail/Dockerfile', 'compose.yaml', 'docs/kubernetes.md'])
    assert.deepEqual(new Set(read(file).match(/(?<=node:)\d+/g)), new Set([node.split('.')[0]]), file)
  const [together, , , api] = JSON.parse(read('renovate.json')).packageRules
  assert.deepEqual(together.matchPackageNames, ['node', ...Object.keys(optionalDependencies)])
  assert(together.groupName && together.dependencyDashboardApproval)
  const sdk = JSON.parse(read('node_modules/@opentelemetry/sdk-trace-base/package.json'))
  assert.deepEqual(api.matchPackageNames, ['@opentelemetry/api'])
  assert.equal(api.allowedVersions, sdk.peerDependencies['@opentelemetry/api'].split(' ')[1])
})

test('npm ci runs no script of a package, so that none can fail before the installed Node works', () => {
  const locks = globSync('**/package-lock.json', { cwd: root, exclude: ['**/node_modules/**'] })
  const withScripts = locks.filter((lock) => read(lock).includes('"hasInstallScript": true'))
  assert(withScripts.includes('package-lock.json'))
  for (const lock of withScripts) assert.match(read(join(dirname(lock), '.npmrc')), /^ignore-scripts=true$/m, lock)
})

test('package.json, the changelog and the manifests have one version', () => {
  assert.equal(/^## \[(\d.*?)\] - \d{4}-\d\d-\d\d$/m.exec(read('CHANGELOG.md'))?.[1], version)
  assert.match(read('k8s/base/kustomization.yaml'), new RegExp(`newTag: ${version}\n[^]*/version: ${version}\n`))
  assert.match(read('k8s/base/migration/kustomization.yaml'), new RegExp(`: -${version.replaceAll('.', '-')}\n`))
})
