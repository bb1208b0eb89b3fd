import { type DescFile, toBinary } from '@bufbuild/protobuf'
import { nestedTypes } from '@bufbuild/protobuf/reflect'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'

/** Looks up proto files and what they define, imports included. Unknown names give undefined. */
export interface DescriptorIndex {
  /** By file name with its suffix, such as `leadintake/v1/lead.proto`. */
  fileByName(name: string): DescFile | undefined
  /**
   * By the full name of a service, method, message, field, oneof, enum, enum value or extension, without a leading dot.
   */
  fileBySymbol(symbol: string): DescFile | undefined
  fileByExtension(extendee: string, number: number): DescFile | undefined
  /** The numbers of all known extensions of a message, ascending. Undefined for an unknown message. */
  extensionNumbers(extendee: string): number[] | undefined
}

/** Indexes files and everything that they import. */
export function indexDescriptors(files: readonly DescFile[]): DescriptorIndex {
  const byName = new Map<string, DescFile>()
  const bySymbol = new Map<string, DescFile>()
  const extensions = new Map<string, Map<number, DescFile>>()

  function add(file: DescFile): void {
    const name = fileName(file)
    if (byName.has(name)) return
    byName.set(name, file)
    for (const symbol of symbolsOf(file)) bySymbol.set(symbol, file)
    for (const type of nestedTypes(file)) {
      if (type.kind !== 'extension') continue
      const { typeName } = type.extendee
      if (!extensions.has(typeName)) extensions.set(typeName, new Map())
      extensions.get(typeName)?.set(type.number, file)
    }
    file.dependencies.forEach(add)
  }
  files.forEach(add)

  return {
    fileByName: (name) => byName.get(name),
    fileBySymbol: (symbol) => bySymbol.get(symbol),
    fileByExtension: (extendee, number) => extensions.get(extendee)?.get(number),
    extensionNumbers(extendee) {
      if (!bySymbol.has(extendee)) return undefined
      return [...(extensions.get(extendee)?.keys() ?? [])].sort((a, b) => a - b)
    },
  }
}

/** The name by which other files import this one. */
export function fileName(file: DescFile): string {
  return file.proto.name
}

/** The file as a serialized `google.protobuf.FileDescriptorProto`. */
export function serializeFile(file: DescFile): Uint8Array<ArrayBuffer> {
  return toBinary(FileDescriptorProtoSchema, file.proto)
}

function* symbolsOf(file: DescFile): Iterable<string> {
  for (const type of nestedTypes(file)) {
    yield type.typeName
    if (type.kind === 'message') {
      for (const member of [...type.fields, ...type.oneofs]) yield `${type.typeName}.${member.name}`
    } else if (type.kind === 'service') {
      for (const method of type.methods) yield `${type.typeName}.${method.name}`
    } else if (type.kind === 'enum') {
      // Enum values are siblings of their enum, as in C++.
      const scope = type.parent?.typeName ?? file.proto.package
      for (const value of type.values) yield `${scope}.${value.name}`
    }
  }
}
