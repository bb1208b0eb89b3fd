// Does what another team does: copies proto/ and third_party/proto/. e2e/consumers generates clients from the copy.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { create, createRegistry, fromBinary, toJson } from '@bufbuild/protobuf'
import { type FileDescriptorProto, FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { file_buf_validate_validate } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
import { root } from '../support/process.ts'

const folder = mkdtempSync(join(tmpdir(), 'generated-clients-'))
before(() => {
  for (const name of ['proto', 'third_party', 'buf.yaml'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  // Only for the TypeScript command, which runs a plugin from npm.
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
})
after(() => rmSync(folder, { recursive: true, force: true }))

const run = (command: string, args: string[], env: Record<string, string> = {}) =>
  execFileSync(command, args, { cwd: folder, env: { ...process.env, ...env }, encoding: 'utf8', stdio: 'pipe' })

/** A descriptor as JSON, without what compilers add or omit: JSON names and an explicit `proto2`. */
function describe(file: FileDescriptorProto): unknown {
  const registry = createRegistry(file_buf_validate_validate)
  const bare = create(FileDescriptorProtoSchema, { ...file, sourceCodeInfo: undefined as never, syntax: '' })
  const text = JSON.stringify(toJson(FileDescriptorProtoSchema, bare, { registry }))
  return JSON.parse(text, (name, value) => (name === 'jsonName' ? undefined : value))
}

suite('a copy of the proto files', () => {
  test('builds and lints with buf, without npm or a module registry', () => {
    run(join(root, 'node_modules/.bin/buf'), ['build', '-o', '/dev/null'])
    run(join(root, 'node_modules/.bin/buf'), ['lint'])
  })

  test('has the rules of the installed @bufbuild/protovalidate', () => {
    const args = ['build', 'third_party/proto', '--as-file-descriptor-set', '-o', '-']
    const image = execFileSync(join(root, 'node_modules/.bin/buf'), args, { cwd: folder })
    const { file: files } = fromBinary(FileDescriptorSetSchema, image)
    const vendored = files.find((file) => file.name === file_buf_validate_validate.proto.name)
    assert.ok(vendored)
    assert.deepEqual(describe(vendored), describe(file_buf_validate_validate.proto))
  })
})
