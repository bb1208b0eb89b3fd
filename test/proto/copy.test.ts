// That another team can generate clients from a copy of the files is proven in e2e/consumers.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { create, createRegistry, fromBinary, toJson } from '@bufbuild/protobuf'
import { type FileDescriptorProto, FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { file_buf_validate_validate } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
import { root } from '../support/process.ts'

/** A descriptor as JSON, without what compilers add or omit: JSON names and an explicit `proto2`. */
function describe(file: FileDescriptorProto): unknown {
  const registry = createRegistry(file_buf_validate_validate)
  const bare = create(FileDescriptorProtoSchema, { ...file, sourceCodeInfo: undefined as never, syntax: '' })
  const text = JSON.stringify(toJson(FileDescriptorProtoSchema, bare, { registry }))
  return JSON.parse(text, (name, value) => (name === 'jsonName' ? undefined : value))
}

test('third_party/proto has the rules of the installed @bufbuild/protovalidate', () => {
  const args = ['build', 'third_party/proto', '--as-file-descriptor-set', '-o', '-']
  const image = execFileSync('node_modules/.bin/buf', args, { cwd: root })
  const { file: files } = fromBinary(FileDescriptorSetSchema, image)
  const vendored = files.find((file) => file.name === file_buf_validate_validate.proto.name)
  assert.ok(vendored)
  assert.deepEqual(describe(vendored), describe(file_buf_validate_validate.proto))
})
