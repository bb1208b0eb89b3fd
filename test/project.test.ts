// What the project's documents and manifest say of themselves.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { exampleCurl } from '../src/app/banner.ts'
import { readConfig } from '../src/config/config.ts'
import { settings } from '../src/config/settings.ts'
import { createConsentTexts } from '../src/lead/wording.ts'
import { newFolder } from './support/folder.ts'
import { root } from './support/process.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const readme = read('README.md')
const guide = read('CONTRIBUTING.md')
const policy = read('SECURITY.md')
const manifest = JSON.parse(read('package.json'))
const { dependencies, devDependencies, engines, optionalDependencies, scripts, version } = manifest

suite('documents', () => {
  test('name only scripts and files that exist', () => {
    for (const text of [readme, guide, policy])
      for (const [, script = ''] of text.matchAll(/npm run (?:-s )?([\w:]+)/g)) assert(script in scripts, script)
    const named = guide.matchAll(/`((?:src|test|docs|proto|scripts|\.ci)\/[\w./-]+|CHANGELOG\.md)`|\]\(([^):]+)\)/g)
    const paths = [...named].map(([, inCode, linked]) => (inCode ?? linked) as string)
    assert(paths.length > 25, `${paths.length}`)
    // What the recipe for a version makes.
    for (const path of paths.filter((one) => one !== 'proto/leadintake/v2/')) assert(existsSync(join(root, path)), path)
  })

  test('README: names only settings that exist, a reason for every dependency, and the curl command of npm start', () => {
    const table = /## Configuration\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? ''
    assert.match(table, /\(docs\/settings\.md\)/)
    for (const [, name = ''] of table.matchAll(/`([A-Z][A-Z_]+)`/g)) assert(Object.hasOwn(settings, name), name)
    for (const name of Object.keys(dependencies)) assert(readme.includes(`\`${name}\``), name)
    const { business, consentWording } = readConfig({})
    const { version } = createConsentTexts(business, consentWording).wording
    assert(readme.includes(exampleCurl('http://localhost:8080', version).replace(/^ {2}/gm, '')))
  })
})

suite('what npm ci installs', () => {
  const locked = Object.entries<{ version: string }>(JSON.parse(read('package-lock.json')).packages)
  const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

  test('has exact versions, and the Node of .node-version, which every other place names too', () => {
    const direct: Record<string, string> = { ...dependencies, ...devDependencies, ...optionalDependencies }
    for (const [name, exact] of Object.entries(direct)) assert.match(exact, /^\d+\.\d+\.\d+$/, name)
    const node = read('.node-version').trim()
    const runtimes = locked.filter(([path]) => Object.hasOwn(optionalDependencies, nameOf(path)))
    const versions = runtimes.map(([, runtime]) => runtime.version)
    assert.deepEqual(versions, Array(5).fill(node))
    assert.equal(engines.node, `>=${node}`)
    for (const file of ['Dockerfile', 'examples/leads-to-mail/Dockerfile', 'compose.yaml', 'docs/kubernetes.md'])
      assert.deepEqual(new Set(read(file).match(/(?<=node:)\d+/g)), new Set([node.split('.')[0]]), file)
    const raisedTogether = JSON.parse(read('renovate.json')).packageRules[0].matchPackageNames
    assert.deepEqual(raisedTogether, ['node', ...Object.keys(optionalDependencies)])
  })
})

test('package.json, the changelog and the manifests have one version', () => {
  assert.equal(/^## \[(\d.*?)\] - \d{4}-\d\d-\d\d$/m.exec(read('CHANGELOG.md'))?.[1], version)
  assert.match(read('k8s/base/kustomization.yaml'), new RegExp(`newTag: ${version}\n[^]*/version: ${version}\n`))
  assert.match(read('k8s/base/migration/kustomization.yaml'), new RegExp(`: -${version.replaceAll('.', '-')}\n`))
})

test('npm run check finds a break of the proto files that is on main already, in a fresh clone', () => {
  const folder = newFolder()
  const [pushed, clone] = [join(folder, 'pushed'), join(folder, 'clone')]
  for (const name of ['package.json', 'buf.yaml', 'proto', 'scripts', 'third_party'])
    cpSync(join(root, name), join(pushed, name), { recursive: true })
  const file = join(pushed, 'proto/leadintake/v1/intake.proto')
  writeFileSync(file, readFileSync(file, 'utf8').replace('bool replayed = 3;', 'string replayed = 3;'))
  const me = ['-c', 'user.name=Pat Example', '-c', 'user.email=pat@example.com']
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    [...me, 'commit', '-qm', 'A break'],
    ['clone', '-q', '.', clone],
  ])
    assert.equal(spawnSync('git', args, { cwd: pushed }).status, 0, `git ${args}`)
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
  const { status, stdout, stderr } = spawnSync('npm', ['run', 'check:breaking'], { cwd: clone, encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(stdout + stderr, /intake\.proto:\d+:\d+:Field "3" with name "replayed" .* type from "bool" to "string"/)
})
