// `npm run leads`, as an operator runs it.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { createAuthority } from '../rpc/certificates.ts'
import { post } from '../support/http.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { root } from '../support/process.ts'
import { type Service, startService } from '../support/service.ts'
import { contact, quote } from '../support/submissions.ts'

/** Runs the command with a service's settings and returns its output. */
function leads(
  args: string[],
  settings: Record<string, string>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, ...settings } as NodeJS.ProcessEnv
  return new Promise((resolve) => {
    execFile('node', ['src/commands/leads.ts', ...args], { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
}

suite('npm run leads', () => {
  let service: Service
  let settings: Record<string, string>
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
    assert.match(stdout, /^RECEIVED +KIND +NAME +PHONE +E-MAIL\n/)
    assert.match(stdout, new RegExp(`\\(erased\\)\n  ${erased}\n  erased on request\n`))
    assert.match(stdout, /Robin Example +202-555-0145 +robin@example.org\n {2}[0-9a-f-]{36}\n {2}A visit: Ple.*\n$/)
    assert.ok(!stdout.includes('Gone'))
  })

  test('writes CSV that is safe in spreadsheets, and one JSON object per line', async () => {
    const csv = await leads(['--csv', '--since', '1h'], settings)
    assert.equal(csv.stdout.split('\r\n').length, 5)
    assert.match(csv.stdout, /"'=Pat Example"/)
    const json = await leads(['--json', '--limit', '2'], settings)
    const records = json.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      records.map((record) => (record.quoteRequest ?? record.contactMessage).name),
      ['=Pat Example', 'Robin Example'],
    )
  })

  test('prints one lead in full, and finds a person', async () => {
    const found = await leads(['--contact', '(202) 555-0145', '--json'], settings)
    const { id, contactMessage } = JSON.parse(found.stdout)
    assert.equal(contactMessage.name, 'Robin Example')
    const { code, stdout } = await leads([id], settings)
    assert.equal(code, 0)
    for (const part of [id, 'Please call me back.', 'clientAddress']) assert.ok(stdout.includes(part), stdout)
    const unknown = await leads(['0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a10'], settings)
    assert.deepEqual([unknown.code, unknown.stdout], [69, ''])
  })

  test('writes the nightly file of docs/consumers.md, or none when nothing answers', async () => {
    const markdown = readFileSync(join(root, 'docs/consumers.md'), 'utf8')
    const [, script = ''] = /```sh\n([^`]*--csv[^`]*)```/.exec(markdown) ?? []
    const folder = mkdtempSync(join(tmpdir(), 'csv-'))
    const run = (port: string | undefined) =>
      promisify(execFile)('sh', ['-ec', script], {
        cwd: root,
        env: { ...process.env, OUT: folder, INTERNAL_PORT: port },
      })
    try {
      await assert.rejects(run('1'), { code: 69 })
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.endsWith('.csv')),
        [],
      )
      await run(settings.INTERNAL_PORT)
      const [name = ''] = readdirSync(folder)
      assert.match(name, /^leads-\d{4}-\d\d-\d\d\.csv$/)
      assert.match(readFileSync(join(folder, name), 'utf8'), /^\ufeff"id",.*\r\n/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('--follow shows new leads as they arrive', async () => {
    const child = spawn('node', ['src/commands/leads.ts', '--follow', '--json'], {
      cwd: root,
      env: { PATH: process.env.PATH, ...settings } as NodeJS.ProcessEnv,
    })
    try {
      let output = ''
      for await (const chunk of child.stdout) {
        const before = output
        output += chunk
        if (!before.includes('Robin') && output.includes('Robin'))
          await post(service.url, { ...quote, notes: 'followed' })
        if (output.includes('followed')) break
      }
      assert.equal(output.trimEnd().split('\n').length, 4)
    } finally {
      child.kill()
    }
  })

  test('explains what to do when nothing answers, and rejects invalid options', async () => {
    const away = await leads([], { INTERNAL_PORT: '1' })
    assert.deepEqual([away.code, away.stdout], [69, ''])
    assert.match(away.stderr, /^No service answers at http:\/\/127\.0\.0\.1:1: start it .*\n$/)
    assert.equal((await leads(['--xml'], settings)).code, 64)
    assert.equal((await leads([], { INTERNAL_PORT: 'none' })).code, 78)
  })
})

test("uses the service's certificate where one is required, or another one", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'leads-'))
  const authority = createAuthority('The business')
  try {
    // The certificate's name is not the address that is used here.
    const own = authority.issue('intake', { names: ['DNS:intake.internal'] })
    const crm = authority.issue('crm', { names: ['DNS:crm.internal'] })
    const settings = {
      INTERNAL_TLS_CERT: own.cert,
      INTERNAL_TLS_KEY: own.key,
      INTERNAL_TLS_CLIENT_CA: authority.cert,
    }
    await using service = await startService({ ...settings, INTERNAL_CALLERS: 'crm.internal=read' })
    const { json } = await post(service.url, quote)
    const env = { ...settings, INTERNAL_PORT: new URL(service.internalUrl).port }
    const refused = await leads(['--json'], env)
    assert.equal(refused.code, 69)
    assert.match(refused.stderr, /^The service says: /)
    const paths = ['crt', 'key'].map((end) => join(folder, `crm.${end}`))
    for (const [index, path] of paths.entries()) writeFileSync(path, [crm.cert, crm.key][index] as string)
    const [cert = '', key = ''] = paths
    const shown = await leads(['--json', '--cert', cert, '--key', key], env)
    assert.equal(shown.stderr, '')
    assert.equal(JSON.parse(shown.stdout).id, json.id)
  } finally {
    authority.dispose()
    rmSync(folder, { recursive: true })
  }
})
