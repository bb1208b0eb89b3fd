import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { root } from './support/process.ts'

const guide = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')

/** Uses the new field through the public interfaces, in a copy of the project. */
const useField = `
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { post } from '../support/http.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'

test('the new field is accepted, validated, stored and documented', async () => {
  await using service = await startService()
  const taken = await post(service.url, { ...quote, parking: ' On the street ' })
  assert.equal(taken.status, 201)
  const { lead } = await inboxClient(service.internalUrl).getLead({ id: String(taken.json.id) })
  assert.equal(lead?.content.case === 'quoteRequest' && lead.content.value.parking, 'On the street')
  for (const parking of ['', 'x'.repeat(201), 'a\\u0000b', 7]) {
    const refused = await post(service.url, { ...quote, parking })
    assert.equal(refused.status, 422)
    assert.deepEqual(refused.json.errors?.map(({ pointer }: { pointer: string }) => pointer), ['#/parking'])
  }
  assert.equal((await post(service.url, { ...quote, notes: 'Without it' })).status, 201)
  assert.match(await (await fetch(service.url + '/openapi.json')).text(), /Where the cleaner can park/)
})
`

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

  test('has a working recipe for adding an optional field', () => {
    const field = /```proto\n([\s\S]*?)\n\s*```/.exec(guide)?.[1]?.replaceAll(/^ {3}/gm, '') ?? ''
    assert.match(field, /optional string parking = 11/)
    const copy = mkdtempSync(join(tmpdir(), 'contributing-'))
    try {
      for (const name of [
        'README.md',
        'buf.gen.yaml',
        'buf.yaml',
        'package.json',
        'proto',
        'scripts',
        'src',
        'test',
        'third_party',
        'tsconfig.json',
      ])
        cpSync(join(root, name), join(copy, name), { recursive: true })
      symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
      const path = join(copy, 'proto/leadintake/v1/lead.proto')
      const proto = readFileSync(path, 'utf8')
      const end = proto.indexOf('\n}\n', proto.indexOf('\nmessage QuoteRequest {')) + 1
      writeFileSync(path, `${proto.slice(0, end)}${field}\n${proto.slice(end)}`)
      writeFileSync(join(copy, 'test/e2e/recipe.test.ts'), useField)
      const env: NodeJS.ProcessEnv = { ...process.env, NODE_TEST_CONTEXT: undefined }
      const run = (command: string, ...args: string[]) =>
        execFileSync(command, args, { cwd: copy, env, encoding: 'utf8', stdio: 'pipe', timeout: 120_000 })
      run('npm', 'run', 'generate')
      run(join(root, 'node_modules/.bin/tsc'))
      run(process.execPath, '--test', 'test/e2e/recipe.test.ts', 'test/lead/check.test.ts')
    } finally {
      rmSync(copy, { recursive: true, force: true })
    }
  })
})
