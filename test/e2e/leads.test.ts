// `npm run leads`, as an operator runs it.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { createAuthority } from '../rpc/certificates.ts'
import { post } from '../support/http.ts'
import { newFolder } from '../support/machine.ts'
import { execute, inboxClient, root, runCommand, type Service, startService } from '../support/service.ts'
import { contact, quote } from '../support/submissions.ts'

/** The recipe of docs/consumers.md. */
const [, nightly = ''] = /```sh\n([^`]*--csv[^`]*)```/.exec(readFileSync(join(root, 'docs/consumers.md'), 'utf8')) ?? []

const leads = (args: string[], settings: Record<string, string>) => runCommand('leads', args, settings)

suite('npm run leads', () => {
  let service: Service
  let settings: { INTERNAL_PORT: string }
  let erased: string
  before(async () => {
    service = await startService()
    settings = { INTERNAL_PORT: new URL(service.internalUrl).port }
    erased = String((await post(service.url, { ...quote, name: 'Gone Example' })).json.id)
    await inboxClient(service.internalUrl).eraseLead({ id: erased })
    await post(service.url, { ...quote, name: '=Pat Example' })
    await post(service.url, contact)
  })
  after(() => service.stop())

  test('shows a table with the newest last, and marks erased leads', async () => {
    const { code, stdout, stderr } = await leads([], settings)
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^RECEIVED \(local\) +KIND +NAME +PHONE +E-MAIL\n/)
    assert.match(stdout, new RegExp(`\\(erased\\)\n  ${erased}\n  erased by hand\n`))
    assert.match(stdout, /Robin Example +202-555-0145 +robin@example.org\n {2}[0-9a-f-]{36}\n {2}A visit: Ple.*\n$/)
    assert.ok(!stdout.includes('Gone'))
  })

  test('prints one JSON object per line, one lead in full, and finds a person', async () => {
    const json = await leads(['--json', '--limit', '2'], settings)
    const records = json.stdout.trimEnd().split('\n')
    assert.equal(JSON.parse(records[0] as string).quoteRequest.name, '=Pat Example')
    assert.match((await leads(['-n', '1'], settings)).stderr, /^These are the newest 1\. Add --name/)
    const found = await leads(['--contact', '(202) 555-0145', '--json'], settings)
    assert.deepEqual([found.stdout, records.length], [`${records[1]}\n`, 2])
    const { id } = JSON.parse(found.stdout)
    const { stdout } = await leads([id.toUpperCase()], settings)
    for (const part of [id, 'Please call me back.', 'clientAddress']) assert.ok(stdout.includes(part), stdout)
    const unknown = await leads(['0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a10'], settings)
    assert.deepEqual([unknown.code, unknown.stdout], [69, ''])
  })

  test('writes each lead into one nightly file, however late the next run is, and none when nothing answers', async () => {
    let nowMs = Date.now() - 47 * 3_600_000
    await using shop = await startService({}, { now: () => nowMs })
    const out = newFolder()
    const run = (INTERNAL_PORT = new URL(shop.internalUrl).port) =>
      execute('sh', ['-c', nightly], { cwd: root, env: { ...process.env, OUT: out, INTERNAL_PORT } })
    const files = () => readdirSync(out).filter((name) => name.endsWith('.csv'))
    const away = /^No service answers at http:\/\/127\.0\.0\.1:1: start it .*\n$/
    await assert.rejects(run('1'), { code: 69, stderr: away })
    assert.deepEqual(files(), [])
    const ids: string[] = []
    const submit = async (notes: string) => {
      const { json } = await post(shop.url, { ...quote, consentTimestamp: undefined, name: '=Pat', notes })
      ids.push(String(json.id))
    }
    await submit('Before the first run')
    await run()
    await submit(`Lines\n"${ids[0]}",like a record`)
    nowMs = Date.now()
    await submit('Late')
    const [first = ''] = files()
    assert.match(first, /^leads-\d{4}-\d\d-\d\dT\d{6}Z\.csv$/)
    // As if it had been written earlier.
    renameSync(join(out, first), join(out, 'leads-2026-01-01T030000Z.csv'))
    await run()
    assert.equal(files().length, 2)
    const texts = files().map((name) => readFileSync(join(out, name), 'utf8'))
    const written = texts.map((text) => [...text.matchAll(/^"([0-9a-f-]{36})",/gm)].map(([, id]) => id))
    written.sort((a, b) => a.length - b.length)
    assert.deepEqual(written, [ids.slice(0, 1), ids.slice(1)])
    assert.match(texts.join(), /^\ufeff"id",.*\r\n[\s\S]*"'=Pat"[\s\S]*like a record/)
  })
})

test("uses the service's certificate where one is required, which needs a role", async () => {
  const authority = createAuthority('The business')
  // The certificate's name is not the address that is used here.
  const own = authority.issue('intake', { names: ['DNS:intake.internal'] })
  const settings = { INTERNAL_TLS_CERT: own.cert, INTERNAL_TLS_KEY: own.key, INTERNAL_TLS_CLIENT_CA: authority.cert }
  await using service = await startService({ ...settings, INTERNAL_CALLERS: 'intake.internal=read' })
  const { json } = await post(service.url, quote)
  const env = { ...settings, INTERNAL_PORT: new URL(service.internalUrl).port }
  const shown = await leads(['--json'], env)
  assert.deepEqual([JSON.parse(shown.stdout).id, shown.stderr], [json.id, ''])
  const refused = await runCommand('erase', [String(json.id), '--yes'], env)
  assert.equal(refused.code, 69)
  assert.match(
    refused.stderr,
    /^The service says: The caller intake\.internal does not have the role erase\. .*INTERNAL_CALLERS\.\n$/,
  )
})
