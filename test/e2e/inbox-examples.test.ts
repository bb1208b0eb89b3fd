// Runs the commands in docs/inbox.md unmodified.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { createAuthority } from '../rpc/certificates.ts'
import { post } from '../support/http.ts'
import { root } from '../support/process.ts'
import { startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'

const folder = mkdtempSync(join(tmpdir(), 'examples-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const inboxPath = 'leadintake.v1.LeadInboxService'
const markdown = readFileSync(join(root, 'docs/inbox.md'), 'utf8')
const blocks = [...markdown.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block as string)

/** The code block that contains a text. */
function block(text: string): string {
  const found = blocks.find((candidate) => candidate.includes(text))
  assert.ok(found, text)
  return found
}

/** Runs blocks in one shell, like a reader who pastes one after the other. */
function shell(script: string, env: Record<string, string>, cwd = root): Promise<{ code: unknown; output: string }> {
  return new Promise((resolve) => {
    execFile('sh', ['-c', script], { cwd, env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout || stderr }),
    )
  })
}

suite('the commands of docs/inbox.md', () => {
  test('list, show, stream and erase', { timeout: 120_000 }, async () => {
    await using service = await startService({ STOP_KEY: 'a key of sixteen characters' })
    const ids: string[] = []
    for (const notes of ['one', 'two']) ids.push(String((await post(service.url, { ...quote, notes })).json.id))
    const [ID = '', other = ''] = ids
    const env = { INBOX: `${service.internalUrl}/${inboxPath}`, ID }
    const setUp = block('INBOX=${INBOX:-')

    const listed = await shell(setUp, env)
    assert.equal(listed.code, 0, listed.output)
    // Two lists with both leads.
    for (const id of ids) assert.equal(listed.output.split(`"id": "${id}"`).length - 1, 2, listed.output)

    const functions = setUp.split('\n\n')[0]
    const shown = await shell(`${functions}\n${block('call GetLead')}`, env)
    assert.equal(JSON.parse(shown.output).lead.quoteRequest.notes, 'one')

    // Two seconds are enough for a reader, not for a machine that runs other tests too.
    const streamed = await shell(block('WatchLeads').replace('timeout 2 ', 'timeout 10 '), env)
    assert.equal(streamed.code, 124, streamed.output)
    assert.ok(streamed.output.includes(ID) && streamed.output.includes(other), streamed.output)
    assert.ok(streamed.output.includes('"cursor"'))

    const stopped = await shell(
      `${functions}\n${block('call RecordStop')}\n${block('"contact": "(202) 555-0123"}')}`,
      env,
    )
    assert.match(stopped.output, /"recordedAt"/)
    assert.equal(stopped.output.split('"stoppedAt"').length - 1, 2, stopped.output)

    const erased = await shell(`${functions}\n${block('call EraseLead')}\n${block('call GetLead')}`, env)
    assert.match(erased.output, /"erasedAt"/)
    assert.match(erased.output, /"erased": true/)
    assert.ok(!erased.output.includes('Pat'))
  })

  test('list with certificates', { timeout: 120_000 }, async () => {
    const authority = createAuthority('The business')
    const server = authority.issue('127.0.0.1')
    const client = authority.issue('crm')
    const cwd = mkdtempSync(join(folder, 'certificates-'))
    for (const [file, text] of Object.entries({
      'ca.crt': authority.cert,
      'tls.crt': client.cert,
      'tls.key': client.key,
    }))
      writeFileSync(join(cwd, file), text)
    writeFileSync(join(cwd, 'package.json'), '{}')
    symlinkSync(join(root, 'node_modules'), join(cwd, 'node_modules'))
    authority.dispose()

    await using service = await startService({
      INTERNAL_TLS_CERT: server.cert,
      INTERNAL_TLS_KEY: server.key,
      INTERNAL_TLS_CLIENT_CA: authority.cert,
    })
    const { json } = await post(service.url, quote)
    const INBOX = `${service.internalUrl.replace('http:', 'https:')}/${inboxPath}`
    const { code, output } = await shell(block('--cacert'), { INBOX }, cwd)
    assert.equal(code, 0, output)
    assert.equal(JSON.parse(output).leads[0].id, json.id)
  })
})
