// Does what another team does: copies proto/ and third_party/proto/, and generates a client as in docs/inbox.md.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { create, createRegistry, fromBinary, toJson } from '@bufbuild/protobuf'
import { type FileDescriptorProto, FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { file_buf_validate_validate } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
import { documentedCommand } from '../support/generated-client.ts'
import { root } from '../support/process.ts'
import { skipWithout, skipWithoutFile } from '../support/tools.ts'

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

suite('a client generated with the command in docs/inbox.md', () => {
  const go = skipWithout('protoc', 'go', 'protoc-gen-go', 'protoc-gen-go-grpc')
  test('compiles in Go', { skip: go }, () => {
    run('sh', ['-ec', documentedCommand('Go')])
    const home = join(folder, 'go/src/leadintake.example')
    mkdirSync(join(home, 'client'), { recursive: true })
    cpSync(join(folder, 'gen'), join(home, 'gen'), { recursive: true })
    writeFileSync(
      join(home, 'client/main.go'),
      `package main

import pb "leadintake.example/gen/leadintake/v1"

func main() {
	_ = pb.NewLeadInboxServiceClient
	print((&pb.WatchLeadsRequest{Cursor: "c-1"}).GetCursor())
}
`,
    )
    // GOPATH finds Debian's libraries, without modules and without a network.
    const env = { GO111MODULE: 'off', GOFLAGS: '', GOPATH: `${join(folder, 'go')}:/usr/share/gocode` }
    run('go', ['build', '-o', 'client', 'leadintake.example/client'], env)
  })

  const python =
    skipWithout('protoc', 'grpc_python_plugin', 'python3') ||
    skipWithoutFile('/usr/lib/python3/dist-packages/grpc', 'install python3-grpcio')
  test('runs in Python', { skip: python }, () => {
    run('sh', ['-ec', documentedCommand('Python')])
    const program = `
import grpc
from leadintake.v1 import inbox_pb2, inbox_pb2_grpc
stub = inbox_pb2_grpc.LeadInboxServiceStub(grpc.insecure_channel('127.0.0.1:1'))
assert stub.WatchLeads
print(inbox_pb2.WatchLeadsRequest(cursor='c-1').cursor)
`
    assert.equal(run('/usr/bin/python3', ['-c', program], { PYTHONPATH: join(folder, 'gen') }), 'c-1\n')
  })

  test('runs in TypeScript', { skip: skipWithout('protoc') }, () => {
    run('sh', ['-ec', documentedCommand('TypeScript')])
    writeFileSync(
      join(folder, 'client.ts'),
      `import { create } from '@bufbuild/protobuf'
import { WatchLeadsRequestSchema } from './gen/leadintake/v1/inbox_pb.ts'
console.log(create(WatchLeadsRequestSchema, { cursor: 'c-1' }).cursor)
`,
    )
    assert.equal(run(process.execPath, ['client.ts']), 'c-1\n')
  })
})
