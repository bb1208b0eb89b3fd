import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt'
import { compileMessage } from '../src/lead/rules.ts'
import { root } from './support/process.ts'

const guide = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')

/** The first code block of a recipe, without its indentation in the list. */
function blockOf(recipe: string): string {
  const text = guide.slice(guide.indexOf(`## ${recipe}\n`))
  return (/```\w+\n([\s\S]*?)\n\s*```/.exec(text)?.[1] ?? '').replaceAll(/^ {3}/gm, '')
}

/** The quote request of the proto files with a field added at its end. */
function quoteRequestWith(field: string) {
  const copy = mkdtempSync(join(tmpdir(), 'contributing-'))
  try {
    for (const name of ['buf.yaml', 'proto', 'third_party'])
      cpSync(join(root, name), join(copy, name), { recursive: true })
    const path = join(copy, 'proto/leadintake/v1/lead.proto')
    const proto = readFileSync(path, 'utf8')
    const end = proto.indexOf('\n}\n', proto.indexOf('\nmessage QuoteRequest {')) + 1
    writeFileSync(path, `${proto.slice(0, end)}${field}\n${proto.slice(end)}`)
    const buf = join(root, 'node_modules/.bin/buf')
    execFileSync(buf, ['lint'], { cwd: copy })
    const image = execFileSync(buf, ['build', 'proto', '--as-file-descriptor-set', '-o', '-'], { cwd: copy })
    const message = createFileRegistry(fromBinary(FileDescriptorSetSchema, image)).getMessage(
      'leadintake.v1.QuoteRequest',
    )
    assert(message)
    return message
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

suite('CONTRIBUTING.md', () => {
  test('names only files that exist', () => {
    const named = [
      ...guide.matchAll(/`((?:src|test|docs|proto|scripts|\.ci)\/[\w./-]+|CHANGELOG\.md)`|\]\(([^):]+)\)/g),
    ]
    const paths = named.map(([, inCode, linked]) => (inCode ?? linked) as string)
    assert(paths.length > 25, `${paths.length}`)
    // What the recipe for a version makes.
    for (const path of paths.filter((one) => one !== 'proto/leadintake/v2/')) assert(existsSync(join(root, path)), path)
  })

  test('names only scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    for (const [, script = ''] of guide.matchAll(/npm run ([\w:]+)/g)) assert(script in scripts, script)
  })

  test('adds an optional field that compiles to its rule', () => {
    const field = blockOf('Add an optional field')
    assert.match(field, /optional string parking = 11/)
    const rule = compileMessage(quoteRequestWith(field)).find(({ name }) => name === 'parking')
    assert(rule)
    const { required, maxLength, pattern, faults } = rule
    assert.deepEqual(
      { required, maxLength, code: faults.value.code },
      { required: false, maxLength: 200, code: 'invalid_characters' },
    )
    const taken = ['on the street', '', 'a\0b'].map((text) => pattern?.test(text))
    assert.deepEqual(taken, [true, false, false])
  })
})
