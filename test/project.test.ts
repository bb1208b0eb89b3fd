import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { readConfig } from '../src/config/config.ts'
import { newFolder } from './support/machine.ts'
import { root } from './support/service.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const { dependencies, devDependencies, engines, optionalDependencies, version } = JSON.parse(read('package.json'))

test('npm ci installs exact versions, and the Node of .node-version, which every other place agrees with', () => {
  const direct: Record<string, string> = { ...dependencies, ...devDependencies, ...optionalDependencies }
  for (const [name, exact] of Object.entries(direct)) assert.match(exact, /^\d+\.\d+\.\d+$/, name)
  const node = read('.node-version').trim()
  // npm leaves an optional package without this version out of the lock file, without an error.
  const { packages } = JSON.parse(read('package-lock.json'))
  const locked = Object.keys(optionalDependencies).map((name) => packages[`node_modules/${name}`]?.version)
  assert.deepEqual(locked, Array(5).fill(node))
  assert.equal(engines.node, `>=${node}`)
  for (const file of ['Dockerfile', 'examples/leads-to-mail/Dockerfile', 'compose.yaml', 'docs/kubernetes.md'])
    assert.deepEqual(new Set(read(file).match(/(?<=node:)\d+/g)), new Set([node.split('.')[0]]), file)
  const [together, , , api] = JSON.parse(read('renovate.json')).packageRules
  assert.deepEqual(together.matchPackageNames, ['node', ...Object.keys(optionalDependencies)])
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

test('the lines of the workflows run: CI, the name of the image, and its signature', () => {
  const steps: { run?: string }[] = globSync('.github/workflows/*.yml', { cwd: root })
    .toSorted()
    .flatMap((file) => Object.values<{ steps?: [] }>(parse(read(file)).jobs).flatMap((job) => job.steps ?? []))
  const [ci, name, sign, ...others] = steps.flatMap(({ run }) => run ?? [])
  assert.deepEqual([ci, others], ['.ci/run', []])
  execFileSync('bash', ['-n', join(root, '.ci/run')])
  const folder = newFolder()
  const [output, cosign] = [join(folder, 'output'), join(folder, 'cosign')]
  writeFileSync(cosign, '#!/bin/sh\necho "$@"', { mode: 0o755 })
  // As GitHub runs `run:` on Linux.
  const runStep = (line = '', env = {}) =>
    spawnSync('bash', ['-e', '-o', 'pipefail', '-c', line], {
      ...{ cwd: root, encoding: 'utf8' },
      env: {
        PATH: folder + delimiter + process.env.PATH,
        GITHUB_OUTPUT: output,
        GITHUB_REPOSITORY: 'Some/Lead-Intake',
        ...env,
      },
    })
  const registry = { REGISTRY: 'ghcr.io' }
  assert.equal(runStep(name, { ...registry, GITHUB_REF_NAME: `v${version}` }).status, 0)
  assert.equal(readFileSync(output, 'utf8'), `image=ghcr.io/some/lead-intake\nversion=${version}\n`)
  const other = runStep(name, { ...registry, GITHUB_REF_NAME: 'v0.0.1' })
  assert.deepEqual([other.status, other.stdout], [1, `The tag is v0.0.1, package.json says ${version}.\n`])
  assert.equal(runStep(sign, { IMAGE: 'image', DIGEST: 'sha256:1' }).stdout, 'sign --yes image@sha256:1\n')
})

test('compose.yaml gives three replicas valid settings, trusts only the proxy, and publishes that on loopback', () => {
  // With its default ports.
  const text = readFileSync(join(root, 'compose.yaml'), 'utf8').replaceAll(/\$\{\w*PORTS?:-([\d-]+)\}/g, '$1')
  const { 'lead-intake': intake, migration, postgres, proxy } = parse(text, { merge: true }).services
  const config = readConfig(
    Object.fromEntries(Object.entries(intake.environment).map(([key, value]) => [key, `${value}`])),
  )
  assert.deepEqual([intake.deploy.replicas, `${intake.environment.REPLICAS}`], [3, '3'])
  assert.equal(config.redis?.kind, 'single')
  assert.equal(intake.environment.TRUSTED_PROXIES, proxy.networks.default.ipv4_address)
  assert.equal(proxy.environment.BASE_URL, config.baseUrl)
  assert.equal(migration.environment.DATABASE_URL, config.databaseUrl)
  const { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: database } = postgres.environment
  assert.equal(config.databaseUrl, `postgres://${user}:${password}@postgres:5432/${database}`)
  assert.deepEqual([proxy.ports, intake.ports], [['127.0.0.1:8080:8080'], ['127.0.0.1:9090-9092:9090']])
})
