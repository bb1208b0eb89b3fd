// The comments in the proto files, because generated descriptors have none.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fromBinary } from '@bufbuild/protobuf'
import {
  type DescriptorProto,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt'

const root = join(import.meta.dirname, '../..')

/** Field numbers in the path of a source location (google/protobuf/descriptor.proto, SourceCodeInfo.Location). */
const messagesOfFile = FileDescriptorProtoSchema.field.messageType.number
const fieldsOfMessage = 2

const image = execFileSync(
  join(root, 'node_modules/.bin/buf'),
  ['build', 'proto', '--as-file-descriptor-set', '-o', '-'],
  { cwd: root },
)
const { file: files } = fromBinary(FileDescriptorSetSchema, image)
const found = files.filter((file) => file.package.startsWith('leadintake.')).flatMap(readFile)

/** Joins each comment into one paragraph, because line breaks in the proto file have no meaning. */
function readFile(file: FileDescriptorProto): [name: string, text: string][] {
  const byPath = new Map(file.sourceCodeInfo?.location.map((place) => [place.path.join(), place.leadingComments ?? '']))
  const entry = (name: string, ...path: number[]): [string, string] => [
    name,
    (byPath.get(path.join()) ?? '').replace(/\s+/g, ' ').trim(),
  ]
  const readMessage = (message: DescriptorProto, index: number): [string, string][] => {
    const name = `${file.package}.${message.name}`
    return [
      entry(name, messagesOfFile, index),
      ...message.field.map((field, at) => entry(`${name}.${field.name}`, messagesOfFile, index, fieldsOfMessage, at)),
    ]
  }
  return file.messageType.flatMap(readMessage)
}

const comments = new Map(found)

/** The comment on a message or field of ours, by its full name. Throws when there is none. */
export function commentOf(fullName: string): string {
  const text = comments.get(fullName)
  if (!text) throw new Error(`no comment on ${fullName}`)
  return text
}
