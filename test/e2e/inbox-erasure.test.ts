import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { ErasureReason } from '../../src/gen/leadintake/v1/lead_pb.ts'
import { get, post } from '../support/http.ts'
import { inboxClient, listAll } from '../support/inbox-client.ts'
import { root } from '../support/process.ts'
import { type Service, startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'

const dayMs = 86_400_000

async function submit(service: Service, notes: string): Promise<string> {
  const { status, json, text } = await post(service.url, { ...quote, consentTimestamp: undefined, notes })
  assert.equal(status, 201, text)
  return String(json.id)
}

/** Runs an operator's command on a database. */
function runCommand(
  name: 'reapply' | 'certificate',
  args: string[],
  databaseUrl: string,
): Promise<{ code: number | string | undefined; output: string }> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: databaseUrl }
  return new Promise((resolve) => {
    execFile(process.execPath, [`src/commands/${name}.ts`, ...args], { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    )
  })
}

suite('erasure', () => {
  test('happens automatically after LEAD_RETENTION_DAYS, with a warning below five years', async () => {
    let nowMs = Date.now() - 31 * dayMs
    await using service = await startService({}, { now: () => nowMs })
    const old = await submit(service, 'Old')
    nowMs += 2 * dayMs
    const young = await submit(service, 'Young')
    assert.ok(!service.log().includes('LEAD_RETENTION_DAYS'))

    nowMs += 29 * dayMs
    await using keeper = await startService(
      { DATABASE_URL: service.databaseUrl, LEAD_RETENTION_DAYS: '30' },
      { now: () => nowMs },
    )
    assert.match(keeper.log(), /LEAD_RETENTION_DAYS: consent may have to be shown for five years/)
    const client = inboxClient(keeper.internalUrl)
    const lead = async (id: string) => (await client.getLead({ id })).lead
    await until('the old lead is erased', async () => (await lead(old))?.erased)
    const erased = await lead(old)
    assert.equal(erased?.erasedReason, ErasureReason.RETENTION)
    assert.equal(erased?.erasedAt && timestampDate(erased.erasedAt).getTime(), nowMs)
    assert.equal((await lead(young))?.erased, false)
    assert.deepEqual(await listAll(client), [old, young])
  })

  test('is repeated from the log after a restore; a certificate shows what remains', async () => {
    await using service = await startService()
    const ids = []
    for (const notes of ['one', 'two']) ids.push(await submit(service, notes))
    const [first = '', second = ''] = ids
    const log = join(mkdtempSync(join(tmpdir(), 'log-')), 'service.log')
    const erased = { leadId: first, erasedAt: '2026-11-20T08:00:00.000Z', reason: 'request', caller: 'crm.internal' }
    writeFileSync(log, `${JSON.stringify({ ...erased, msg: 'lead erased' })}\n${randomUUID()}\nanything else\n`)
    const reapply = () => runCommand('reapply', [log], service.databaseUrl)
    assert.deepEqual(await reapply(), {
      code: 0,
      output: '1 leads erased, 0 were already erased, 1 are not in this database.\n',
    })
    assert.match((await reapply()).output, /^0 leads erased, 1 were already erased/)
    // As Docker's log driver wraps a line in its own files.
    writeFileSync(log, JSON.stringify({ log: JSON.stringify({ ...erased, msg: 'lead erased' }), stream: 'stdout' }))
    const wrapped = await reapply()
    assert.equal(wrapped.code, 1)
    assert.match(wrapped.output, /^1 lines could not be read/m)
    const { lead } = await inboxClient(service.internalUrl).getLead({ id: first })
    assert.equal(lead?.erasedAt && timestampDate(lead.erasedAt).toISOString(), erased.erasedAt)

    const certificate = (...args: string[]) => runCommand('certificate', args, service.databaseUrl)
    const page = await certificate(first)
    assert.match(
      page.output,
      /^<!doctype html>[\s\S]*erased on [^<]*2026-11-20T08:00:00\.000Z\) \(request, by crm\.internal\)/,
    )
    const json = JSON.parse((await certificate(second, '--json')).output)
    assert.deepEqual([json.id, json.personal.content.notes, json.personal.fits], [second, 'two', true])
    assert.equal((await certificate(randomUUID())).code, 1)
    assert.equal((await certificate('x')).code, 64)
    assert.equal((await runCommand('reapply', ['no such file'], service.databaseUrl)).code, 64)
  })
})

test('the inbox cannot be reached on the public listener or the ops listener', async () => {
  await using service = await startService()
  for (const method of ['ListLeads', 'WatchLeads', 'GetLead', 'EraseLead']) {
    for (const url of [service.url, service.opsUrl]) {
      for (const verb of ['GET', 'POST']) {
        const { status, text } = await get(`${url}/leadintake.v1.LeadInboxService/${method}`, {}, verb)
        assert.ok([404, 405].includes(status), `${verb} ${url} ${method}: ${status}`)
        assert.ok(!/LeadInbox/.test(text))
      }
    }
  }
})
