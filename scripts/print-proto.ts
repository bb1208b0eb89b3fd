// Prints buf/validate/validate.proto from the descriptor that @bufbuild/protovalidate ships, so that `buf` can import it
// without a remote module registry: names, numbers, extensions and ranges; options and comments are left out.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type DescriptorProto,
  type DescriptorProto_ExtensionRange,
  type EnumDescriptorProto,
  type FieldDescriptorProto,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt'
import { file_buf_validate_validate } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'

const { proto } = file_buf_validate_validate
if (proto.syntax !== 'proto2' && proto.syntax !== '')
  throw new Error(`${proto.name}: expected proto2, got ${proto.syntax}`)

const indent = (lines: string[]) => lines.map((line) => `  ${line}`)
const typeOf = (field: FieldDescriptorProto) => field.typeName || (Type[field.type] as string).toLowerCase()
const range = ({ start, end }: Pick<DescriptorProto_ExtensionRange, 'start' | 'end'>) =>
  end === 0x20000000 ? `${start} to max` : end - 1 === start ? `${start}` : `${start} to ${end - 1}`

function printField(field: FieldDescriptorProto, inOneof: boolean): string {
  const label = inOneof ? '' : `${(Label[field.label] as string).toLowerCase()} `
  return `${label}${typeOf(field)} ${field.name} = ${field.number};`
}

function printFields(fields: FieldDescriptorProto[], oneofs: { name: string }[]): string[] {
  const free = fields.filter((field) => !Object.hasOwn(field, 'oneofIndex'))
  return [
    ...free.map((field) => printField(field, false)),
    ...oneofs.flatMap((oneof, index) => [
      `oneof ${oneof.name} {`,
      ...indent(
        fields
          .filter((field) => Object.hasOwn(field, 'oneofIndex') && field.oneofIndex === index)
          .map((field) => printField(field, true)),
      ),
      '}',
    ]),
  ]
}

function printExtensions(extensions: FieldDescriptorProto[]): string[] {
  return extensions.flatMap((field) => [`extend ${field.extendee} {`, `  ${printField(field, false)}`, '}'])
}

function printEnum(type: EnumDescriptorProto): string[] {
  const values = type.value.map((value) => `${value.name} = ${value.number};`)
  const reserved = type.reservedRange.map(
    ({ start, end }) => `reserved ${start === end ? start : `${start} to ${end}`};`,
  )
  return [`enum ${type.name} {`, ...indent([...values, ...reserved]), '}']
}

function printMessage(type: DescriptorProto): string[] {
  if (type.nestedType.some((nested) => nested.options?.mapEntry))
    throw new Error(`${type.name}: map fields are not printed`)
  return [
    `message ${type.name} {`,
    ...indent([
      ...type.enumType.flatMap(printEnum),
      ...type.nestedType.flatMap(printMessage),
      ...printFields(type.field, type.oneofDecl),
      ...printExtensions(type.extension),
      ...type.extensionRange.map((entry) => `extensions ${range(entry)};`),
      ...type.reservedRange.map((entry) => `reserved ${range(entry)};`),
      ...type.reservedName.map((name) => `reserved "${name}";`),
    ]),
    '}',
  ]
}

const lines = [
  'syntax = "proto2";',
  `package ${proto.package};`,
  ...proto.dependency.map((name) => `import "${name}";`),
  ...printExtensions(proto.extension),
  ...proto.enumType.flatMap(printEnum),
  ...proto.messageType.flatMap(printMessage),
]
const path = join(import.meta.dirname, '..', '.proto-deps', proto.name)
mkdirSync(dirname(path), { recursive: true })
writeFileSync(path, `${lines.join('\n')}\n`)
