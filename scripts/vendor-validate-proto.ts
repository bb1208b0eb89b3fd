// Generates third_party/proto/buf/validate/validate.proto from the descriptor in the installed @bufbuild/protovalidate,
// so that proto/ builds without npm and without a module registry. Run it after each update of that package; a test
// fails until then. The npm package has no comments, so the generated file has none.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { getExtension, hasExtension } from '@bufbuild/protobuf'
import {
  type DescriptorProto,
  type DescriptorProto_ExtensionRange,
  type EnumDescriptorProto,
  type FieldDescriptorProto,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt'
import { file_buf_validate_validate, predefined } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'

const { proto } = file_buf_validate_validate
if (proto.syntax !== 'proto2' && proto.syntax !== '')
  throw new Error(`${proto.name}: expected proto2, got ${proto.syntax}`)

const indent = (lines: string[]) => lines.map((line) => `  ${line}`)
const typeOf = (field: FieldDescriptorProto) => field.typeName || (Type[field.type] as string).toLowerCase()
const range = ({ start, end }: Pick<DescriptorProto_ExtensionRange, 'start' | 'end'>) =>
  end === 0x20000000 ? `${start} to max` : end - 1 === start ? `${start}` : `${start} to ${end - 1}`

function printField(field: FieldDescriptorProto, inOneof: boolean): string {
  const label = inOneof ? '' : `${(Label[field.label] as string).toLowerCase()} `
  return `${label}${typeOf(field)} ${field.name} = ${field.number}${printOptions(field)};`
}

/** The options of the rules themselves: expressions that define `min_len` and the like. */
function printOptions({ name, options }: FieldDescriptorProto): string {
  if (!options) return ''
  if (!hasExtension(options, predefined)) throw new Error(`${name}: has options other than buf.validate.predefined`)
  const rules = getExtension(options, predefined).cel.map((rule) => {
    const members = (['id', 'message', 'expression'] as const).filter((member) => rule[member] !== '')
    const texts = members.map((member) => `${member}: ${JSON.stringify(rule[member])}`)
    return `(buf.validate.predefined).cel = { ${texts.join(', ')} }`
  })
  return ` [${rules.join(', ')}]`
}

/** In the descriptor's order. A oneof is placed at its first field. */
function printFields(fields: FieldDescriptorProto[], oneofs: { name: string }[]): string[] {
  const oneofOf = (field: FieldDescriptorProto) => (Object.hasOwn(field, 'oneofIndex') ? field.oneofIndex : undefined)
  return fields.flatMap((field) => {
    const index = oneofOf(field)
    if (index === undefined) return [printField(field, false)]
    const members = fields.filter((other) => oneofOf(other) === index)
    if (members[0] !== field) return []
    return [`oneof ${oneofs[index]?.name} {`, ...indent(members.map((member) => printField(member, true))), '}']
  })
}

function printExtensions(extensions: FieldDescriptorProto[]): string[] {
  return extensions.flatMap((field) => [`extend ${field.extendee} {`, `  ${printField(field, false)}`, '}'])
}

function printEnum(type: EnumDescriptorProto): string[] {
  const values = type.value.map((value) => `${value.name} = ${value.number};`)
  const reserved = type.reservedRange.map(
    ({ start, end }) => `reserved ${start === end ? start : `${start} to ${end}`};`,
  )
  const names = type.reservedName.map((name) => `reserved "${name}";`)
  return [`enum ${type.name} {`, ...indent([...values, ...reserved, ...names]), '}']
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

const { javaPackage, javaOuterClassname, javaMultipleFiles, goPackage } = proto.options ?? {}
const lines = [
  '// Copyright 2023-2026 Buf Technologies, Inc.',
  '// Licensed under the Apache License, Version 2.0: see LICENSE beside this file.',
  '//',
  '// Printed by scripts/vendor-validate-proto.ts from the npm package @bufbuild/protovalidate. Do not edit.',
  '',
  'syntax = "proto2";',
  `package ${proto.package};`,
  ...proto.dependency.map((name) => `import "${name}";`),
  `option go_package = ${JSON.stringify(goPackage)};`,
  `option java_multiple_files = ${javaMultipleFiles};`,
  `option java_outer_classname = ${JSON.stringify(javaOuterClassname)};`,
  `option java_package = ${JSON.stringify(javaPackage)};`,
  ...printExtensions(proto.extension),
  ...proto.enumType.flatMap(printEnum),
  ...proto.messageType.flatMap(printMessage),
]
const path = join(import.meta.dirname, '../third_party/proto', proto.name)
mkdirSync(dirname(path), { recursive: true })
writeFileSync(path, `${lines.join('\n')}\n`)
execFileSync('buf', ['format', '--write', path], { stdio: 'inherit' })
