// The comments in the proto files, because generated descriptors have none.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { getComments } from '@bufbuild/protoplugin'

const root = join(import.meta.dirname, '../..')
const build = ['build', 'proto', '--as-file-descriptor-set', '-o', '-']
const image = execFileSync(join(root, 'node_modules/.bin/buf'), build, { cwd: root })
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, image))

/** The comment on one of our messages (`Problem`) or fields (`Problem.title`), as one paragraph. Throws without one. */
export function commentOf(name: string): string {
  const [messageName, fieldName] = name.split('.')
  const message = registry.getMessage(`leadintake.v1.${messageName}`)
  const described = fieldName ? message?.fields.find((field) => field.name === fieldName) : message
  const text = described && getComments(described).leading
  if (!text) throw new Error(`no comment on ${name}`)
  return text.replace(/\s+/g, ' ').trim()
}
