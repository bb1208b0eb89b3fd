import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { root } from './support/process.ts'

const guide = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')

/** Uses what the recipes add through the public interfaces, in a copy of the project. */
const useThem = `
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SubmissionPath } from '../../src/gen/leadintake/v1/lead_pb.ts'
import { post } from '../support/http.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { startService } from '../support/service.ts'
import { contact, quote } from '../support/submissions.ts'

const pointers = (answer: { json: Record<string, any> }) => answer.json.errors?.map(({ pointer }: any) => pointer)

test('the new field is accepted, validated, stored and documented', async () => {
  await using service = await startService()
  const taken = await post(service.url, { ...quote, parking: ' On the street ' })
  assert.equal(taken.status, 201)
  const { lead } = await inboxClient(service.internalUrl).getLead({ id: String(taken.json.id) })
  assert.equal(lead?.content.case === 'quoteRequest' && lead.content.value.parking, 'On the street')
  for (const parking of ['', 'x'.repeat(201), 'a\\u0000b', 7]) {
    const refused = await post(service.url, { ...quote, parking })
    assert.equal(refused.status, 422)
    assert.deepEqual(pointers(refused), ['#/parking'])
  }
  assert.equal((await post(service.url, { ...quote, notes: 'Without it' })).status, 201)
  assert.match(await (await fetch(service.url + '/openapi.json')).text(), /Where the cleaner can park/)
})

test('the new version applies its own rules, and is documented', async () => {
  await using service = await startService({ RATE_LIMIT: '100' })
  const { pageUrl: _, ...lead } = { pageUrl: '', ...quote }
  const path = '/api/v2/leads'
  const read = async (at: string): Promise<any> => (await fetch(service.url + at)).json()
  const refused = await post(service.url, lead, { path })
  assert.equal(refused.status, 422)
  assert.deepEqual(pointers(refused), ['#/pageUrl'])
  const taken = await post(service.url, { ...lead, pageUrl: 'https://example.com/quote' }, { path })
  assert.equal(taken.status, 201)
  const stored = await inboxClient(service.internalUrl).getLead({ id: String(taken.json.id) })
  assert.equal(stored.lead?.consent?.path, SubmissionPath.REST_V2)
  assert.equal((await post(service.url, contact, { path })).status, 201)
  for (const old of ['/api/v1/leads', '/api/leads']) {
    assert.equal((await post(service.url, { ...lead, notes: 'For ' + old }, { path: old })).status, 201)
  }
  const root = await read('/api/v2')
  assert.deepEqual([root.version, root.links.leads], ['v2', service.url + path])
  const openapi = await read('/openapi.json')
  assert.equal(openapi.paths[path].post.operationId, 'submitLeadV2')
  const requires = (schema: string) => openapi.components.schemas[schema].required.includes('pageUrl')
  assert.deepEqual([requires('QuoteRequestV2'), requires('QuoteRequest')], [true, false])
  const catalog = await read('/.well-known/api-catalog')
  assert.deepEqual(catalog.linkset[0].item.map(({ title }: any) => title), ['Lead Intake API v1', 'Lead Intake API v2'])
  assert.match(await (await fetch(service.opsUrl + '/metrics')).text(), /path="rest-v2",outcome="created"} 2/)
})
`

/** The code blocks of a recipe, without their indentation in the list. */
function blocksOf(recipe: string): string[] {
  const from = guide.indexOf(`## ${recipe}\n`)
  const text = guide.slice(from, guide.indexOf('\n## ', from + 1))
  return [...text.matchAll(/```\w+\n([\s\S]*?)\n\s*```/g)].map(([, block = '']) => block.replaceAll(/^ {3}/gm, ''))
}

/** Edits a file of the copy. Fails if that changes nothing. */
function edit(path: string, change: (text: string) => string): void {
  const before = readFileSync(path, 'utf8')
  const after = change(before)
  assert.notEqual(after, before, path)
  writeFileSync(path, after)
}

/** Inserts lines at the end of the first block that starts with `begin`. */
function append(text: string, begin: string, end: string, lines: string): string {
  const at = text.indexOf(end, text.indexOf(begin)) + 1
  return `${text.slice(0, at)}${lines}\n${text.slice(at)}`
}

function addField(copy: string): void {
  const [field = ''] = blocksOf('Add an optional field')
  assert.match(field, /optional string parking = 11/)
  edit(join(copy, 'proto/leadintake/v1/lead.proto'), (proto) =>
    append(proto, '\nmessage QuoteRequest {', '\n}\n', field),
  )
}

function addVersion(copy: string): void {
  const [path = '', version = '', row = ''] = blocksOf('Add an API version')
  const [imported = '', versionRow = ''] = version.split('\n')
  const v1 = join(copy, 'proto/leadintake/v1/lead.proto')
  const proto = readFileSync(v1, 'utf8')
  const copied = proto
    .slice(0, proto.indexOf('\n}\n') + 3)
    .replaceAll(/leadintake(.?)v1(?!\/fault)/g, 'leadintake$1v2')
    .replace('LeadIntake.V1', 'LeadIntake.V2')
    .replace(/import "google.*\n/, '')
    .replaceAll('(fault)', '(leadintake.v1.fault)')
    .replace('optional string page_url = 10 [', '$&\n    (buf.validate.field).required = true,')
  mkdirSync(join(copy, 'proto/leadintake/v2'))
  writeFileSync(join(copy, 'proto/leadintake/v2/lead.proto'), copied)
  edit(v1, (text) => append(text, '\nenum SubmissionPath {', '\n}\n', path))
  edit(join(copy, 'src/lead/versions.ts'), (text) =>
    text.replace(/^(?=import)/m, `${imported}\n`).replace(/^ {2}v1: .*\n/m, (line) => `${line}${versionRow}\n`),
  )
  edit(join(copy, 'src/rpc/lead-message.ts'), (text) =>
    text.replace(/^ {2}'rest-v1': .*\n/m, (line) => `${line}${row}\n`),
  )
}

/** The parts of the repository that the copy needs. */
const copied = [
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
]

suite('CONTRIBUTING.md', () => {
  test('names only files that exist', () => {
    const named = [
      ...guide.matchAll(/`((?:src|test|docs|proto|scripts|\.ci)\/[\w./-]+|CHANGELOG\.md)`|\]\(([^):]+)\)/g),
    ]
    const paths = named.map(([, inCode, linked]) => (inCode ?? linked) as string)
    assert(paths.length > 25, `${paths.length}`)
    // What the recipe for a version makes.
    for (const path of paths.filter((one) => one !== 'proto/leadintake/v2/lead.proto'))
      assert(existsSync(join(root, path)), path)
  })

  test('names only scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    for (const [, script = ''] of guide.matchAll(/npm run ([\w:]+)/g)) assert(script in scripts, script)
  })

  test('has working recipes for adding an optional field and an API version', () => {
    const copy = mkdtempSync(join(tmpdir(), 'contributing-'))
    try {
      for (const name of copied) cpSync(join(root, name), join(copy, name), { recursive: true })
      symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
      addField(copy)
      addVersion(copy)
      writeFileSync(join(copy, 'test/e2e/recipes.test.ts'), useThem)
      const env: NodeJS.ProcessEnv = { ...process.env, NODE_TEST_CONTEXT: undefined }
      const run = (command: string, ...args: string[]) =>
        execFileSync(command, args, { cwd: copy, env, encoding: 'utf8', stdio: 'pipe', timeout: 120_000 })
      run('npm', 'run', 'generate')
      run('buf', 'lint')
      run(join(root, 'node_modules/.bin/tsc'))
      run(process.execPath, '--test', 'test/e2e/recipes.test.ts', 'test/lead/check.test.ts')
    } finally {
      rmSync(copy, { recursive: true, force: true })
    }
  })
})
