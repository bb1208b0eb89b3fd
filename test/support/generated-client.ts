// Clients that are generated and built outside this repository, as another team does.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './process.ts'

/** The command for a language in docs/inbox.md. */
function documentedCommand(language: string): string {
  const markdown = readFileSync(join(root, 'docs/inbox.md'), 'utf8')
  const section = markdown.split('## Generate a client')[1]?.split('\n## ')[0] ?? ''
  const command = section.split(`\n${language}, with`)[1]?.match(/```sh\n([\s\S]*?)```/)?.[1]
  assert.ok(command, language)
  return command
}

/** Copies the same files as another team would, and generates a client into `gen/` next to them. */
export function generateClient(language: string, folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const name of ['proto', 'third_party']) cpSync(join(root, name), join(folder, name), { recursive: true })
  // Only for the TypeScript command, which runs a plugin from npm, and for its output.
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  execFileSync('sh', ['-ec', documentedCommand(language)], { cwd: folder, stdio: 'pipe' })
}

/** Where Debian installs Go's libraries. */
export const goLibraries = '/usr/share/gocode'

/** Debian's gRPC is older than its own generator, so it must be told of the encoder and of the details of errors. */
const debianCodec = `package leadintakev1

import (
	old "github.com/golang/protobuf/proto"
	"google.golang.org/grpc/encoding"
	"google.golang.org/protobuf/proto"
)

type codec struct{}

func (codec) Name() string                                { return "proto" }
func (codec) Marshal(message interface{}) ([]byte, error) { return proto.Marshal(message.(proto.Message)) }
func (codec) Unmarshal(data []byte, message interface{}) error {
	return proto.Unmarshal(data, message.(proto.Message))
}

func (problem *Problem) XXX_Unmarshal(data []byte) error { return proto.Unmarshal(data, problem) }

func init() {
	encoding.RegisterCodec(codec{})
	old.RegisterType((*Problem)(nil), "leadintake.v1.Problem")
}
`

/** Builds the Go programs in `source` outside this repository, with generated code. Returns the folder of the binaries. */
export function buildGoPrograms(source: string, folder: string, tags = ''): string {
  generateClient('Go', folder)
  const home = join(folder, 'go/src/leadintake.example')
  mkdirSync(home, { recursive: true })
  cpSync(join(folder, 'gen'), join(home, 'gen'), { recursive: true })
  cpSync(source, join(home, 'program'), { recursive: true })
  writeFileSync(join(home, 'gen/leadintake/v1/debian.go'), debianCodec)
  // GOPATH finds Debian's libraries, without modules and without a network.
  const env = { ...process.env, GO111MODULE: 'off', GOFLAGS: '', GOPATH: `${join(folder, 'go')}:${goLibraries}` }
  const binaries = join(folder, 'bin')
  const build = ['build', '-tags', tags, '-o', `${binaries}/`, 'leadintake.example/program/...']
  execFileSync('go', build, { cwd: folder, env, stdio: 'pipe' })
  return binaries
}
