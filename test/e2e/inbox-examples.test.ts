// The examples of docs/inbox.md, as they stand.
import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createAuthority } from '../rpc/certificates.ts'
import { readContents } from '../support/database.ts'
import { post } from '../support/http.ts'
import { startLoad } from '../support/load.ts'
import { root, runService } from '../support/process.ts'
import { startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'

const folder = mkdtempSync(join(tmpdir(), 'examples-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const inboxPath = 'leadintake.v1.LeadInboxService'
const markdown = readFileSync(join(root, 'docs/inbox.md'), 'utf8')
const blocks = [...markdown.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block as string)

/** The block that holds a text. */
function block(text: string): string {
  const found = blocks.find((candidate) => candidate.includes(text))
  assert.ok(found, text)
  return found
}

/** Runs blocks in one shell, as a reader who pastes one after the other. */
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
    // Two lists of both leads.
    for (const id of ids) assert.equal(listed.output.split(`"id": "${id}"`).length - 1, 2, listed.output)

    const functions = setUp.split('\n\n')[0]
    const shown = await shell(`${functions}\n${block('call GetLead')}`, env)
    assert.equal(JSON.parse(shown.output).lead.quoteRequest.notes, 'one')

    const streamed = await shell(block('WatchLeads'), env)
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

/** The rows of the example's table, in the order in which they were stored. */
function copied(file: string): { id: string; lead: string }[] {
  const crm = new DatabaseSync(file, { timeout: 5_000 })
  try {
    return crm.prepare('SELECT id, lead FROM leads ORDER BY number').all() as { id: string; lead: string }[]
  } catch {
    return []
  } finally {
    crm.close()
  }
}

test('docs/examples/sync-leads.ts copies every lead once and in order, though both sides crash', {
  timeout: 180_000,
}, async (t) => {
  const file = join(folder, 'crm.db')
  let service = await runService()
  const { databaseUrl } = service
  const internalPort = new URL(service.internalUrl).port
  const restart = async () => {
    service.signal('SIGKILL')
    await service.exited
    const again = await runService({ DATABASE_URL: databaseUrl, INTERNAL_PORT: internalPort })
    started.push(again)
    service = again
    urls[0] = again.url
  }
  const started = [service]
  const urls = [service.url]
  let client: ChildProcess | undefined
  const startClient = () => {
    client = spawn('node', ['docs/examples/sync-leads.ts', `http://127.0.0.1:${internalPort}`, file], {
      cwd: root,
      stdio: 'ignore',
    })
  }
  try {
    startClient()
    const load = startLoad(urls, { connections: 4, most: 1_200, perSecond: 150, resend: true })
    for (let round = 0; round < 3; round++) {
      await delay(1_200)
      client?.kill('SIGKILL')
      startClient()
      await delay(1_200)
      await restart()
    }
    await load.done
    const { leads } = await readContents(databaseUrl)
    await until('all leads are copied', () => copied(file).length >= leads.length, { withinMs: 60_000 })
    client?.kill('SIGKILL')
    assert.ok(client)
    await once(client, 'exit')
    const rows = copied(file)
    assert.deepEqual(
      rows.map(({ id }) => id),
      leads,
    )
    assert.equal(JSON.parse(String(rows[0]?.lead)).quoteRequest.name, quote.name)
    t.diagnostic(`${leads.length} leads, three crashes of each side`)
  } finally {
    client?.kill('SIGKILL')
    for (const each of started.reverse()) await each.dispose()
  }
})
