// What the project's documents and manifest say of themselves.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { create, createRegistry, fromBinary, toJson } from '@bufbuild/protobuf'
import { type FileDescriptorProto, FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { file_buf_validate_validate } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
import { exampleCurl } from '../src/app/banner.ts'
import { settings } from '../src/config/settings.ts'
import { root } from './support/process.ts'

interface Locked {
  version: string
  hasInstallScript?: boolean
}

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const readme = read('README.md')
const guide = read('CONTRIBUTING.md')
const policy = read('SECURITY.md')
const manifest = JSON.parse(read('package.json'))
const { version, dependencies, devDependencies, optionalDependencies, allowScripts, scripts } = manifest

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
    assert(readme.includes(exampleCurl('http://localhost:8080').replace(/^ {2}/gm, '')))
  })

  test('CONTRIBUTING: an optional field has a pattern that refuses what its comment says', () => {
    const pattern = new RegExp(JSON.parse(/^ *pattern: ("\^.*")$/m.exec(guide)?.[1] ?? '""'), 'u')
    const taken = ['on the street', '', 'a\0b', 'a\u202eb'].map((text) => pattern.test(text))
    assert.deepEqual(taken, [true, false, false, false])
  })

  test('CHANGELOG: lists releases with their dates, newest first, and the kinds of changes', () => {
    const changelog = read('CHANGELOG.md')
    const entries = [...changelog.matchAll(/^## \[(.+)\](?: - (\d{4}-\d{2}-\d{2}))?$/gm)]
    assert.deepEqual([entries[0]?.[1], entries[1]?.[1]], ['Unreleased', version])
    for (const [, name, date] of entries.slice(1)) assert(date && !Number.isNaN(Date.parse(date)), `${name}`)
  })

  test("SECURITY: says how to report a vulnerability, with the service's own address", () => {
    assert(policy.includes('/.well-known/security.txt') && policy.includes('`BUSINESS_EMAIL`'))
    assert.doesNotMatch(policy, /[\w.]+@[\w-]+\.\w+/)
    assert(policy.includes(`| ${version.split('.')[0]}.x, the newest release |`))
  })
})

suite('what npm ci installs', () => {
  const locked = Object.entries<Locked>(JSON.parse(read('package-lock.json')).packages)
  const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

  test('has exact versions, and the same Node on every platform', () => {
    for (const [name, exact] of Object.entries<string>({
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
    }))
      assert.match(exact, /^\d+\.\d+\.\d+$/, name)
    const runtimes = locked.filter(([path]) => Object.hasOwn(optionalDependencies, nameOf(path)))
    assert.deepEqual(
      runtimes.map(([, runtime]) => `v${runtime.version}`),
      Array(5).fill(process.version),
    )
  })

  test('runs no install scripts except those listed in package.json', () => {
    for (const [path, { hasInstallScript }] of locked)
      if (hasInstallScript) assert(Object.hasOwn(allowScripts, nameOf(path)) || path.includes('fsevents'), path)
  })

  /** A descriptor as JSON, without what compilers add or omit: JSON names and an explicit `proto2`. */
  function describe(file: FileDescriptorProto): unknown {
    const registry = createRegistry(file_buf_validate_validate)
    const bare = create(FileDescriptorProtoSchema, { ...file, sourceCodeInfo: undefined as never, syntax: '' })
    const text = JSON.stringify(toJson(FileDescriptorProtoSchema, bare, { registry }))
    return JSON.parse(text, (name, value) => (name === 'jsonName' ? undefined : value))
  }

  test('has the rules of protovalidate that third_party/proto has', () => {
    const args = ['build', 'third_party/proto', '--as-file-descriptor-set', '-o', '-']
    const { file: files } = fromBinary(
      FileDescriptorSetSchema,
      execFileSync('node_modules/.bin/buf', args, { cwd: root }),
    )
    const vendored = files.find((file) => file.name === file_buf_validate_validate.proto.name)
    assert.ok(vendored)
    assert.deepEqual(describe(vendored), describe(file_buf_validate_validate.proto))
  })
})
