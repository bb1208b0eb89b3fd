// The operator's commands on a database: backups, erasures after a restore, evidence. `leads.test.ts` has the one that reads.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { Channel, OptOutHow } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { assertStored, readContents } from '../support/database.ts'
import { newFolder } from '../support/folder.ts'
import { post } from '../support/http.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { startLoad } from '../support/load.ts'
import { runCommand, runService } from '../support/process.ts'
import { startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'

const folder = newFolder()
const here = (name: string) => join(folder, name)

const submit = async (url: string, change: object) =>
  String((await post(url, { ...quote, consentTimestamp: undefined, ...change })).json.id)

test('a backup of SQLite is made under load, and restores every lead acknowledged before', async () => {
  await using service = await runService({ RATE_LIMIT: '1000000' })
  const { ledger, stop } = startLoad([service.url], { most: 1e9, connections: 8 })
  void service.exited.then(stop)
  const acknowledges = (count: number) => until(`${count} leads`, () => ledger.acknowledged.length >= count)
  await acknowledges(300)
  const before = [...ledger.acknowledged]
  const backup = here('leads.bak')
  const made = await runCommand('backup', [backup], { DATABASE_URL: service.databaseUrl })
  assert.equal(made.code, 0, made.stderr)
  await acknowledges(ledger.acknowledged.length + 50)
  await stop()
  assert.deepEqual([...ledger.others], [], 'nothing was refused')

  const databaseUrl = `sqlite:${backup}.restored/leads.db`
  const restored = await runCommand('restore', [backup], { DATABASE_URL: databaseUrl })
  assert.equal(restored.code, 0, restored.stderr)
  const contents = await readContents(databaseUrl)
  assertStored(before, contents)
  assert(new Set(ledger.acknowledged).isSupersetOf(new Set(contents.leads)), 'in the backup, but never acknowledged')
  assert.equal(contents.distinct, contents.leads.length)
})

test('an error is reported in one line, with an exit code, and without a secret', async () => {
  const none = `sqlite:${here('none.db')}`
  const postgres = 'postgres://a:a-secret@127.0.0.1:1/a'
  for (const [command, args, url, code, words] of [
    ['backup', [], none, 64, /^Usage: npm run backup -- FILE.*\n$/],
    ['backup', ['-'], none, 1, /^There is no backup: no database at.*\n$/],
    ['backup', ['-'], postgres, 1, /^There is no backup: PostgreSQL is backed up with pg_dump.*\n$/],
    ['restore', ['/nowhere/b'], none, 1, /^Nothing was restored: ENOENT.*\n$/],
    ['move', [], none, 64, /^Usage: npm run move.*\n$/],
    ['move', [postgres], none, 1, /^Not moved: there is no database at .*\n$/],
    ['consent-record', [randomUUID()], postgres, 69, /^The evidence could not be read: .*\n$/],
    ['reapply', ['no such file'], none, 64, /./],
    ['consent-record', ['x'], none, 64, /./],
  ] as const) {
    const result = await runCommand(command, [...args], { DATABASE_URL: url })
    assert.equal(result.code, code, `${command} ${args}: ${result.stderr}`)
    assert.match(result.stderr, words)
    assert.doesNotMatch(result.stdout + result.stderr, /a-secret/)
  }
  assert(!existsSync(here('none.db')))
})

test('an erasure is repeated from a log, whatever else it has; a consent record shows what remains', async () => {
  await using service = await startService()
  const env = { DATABASE_URL: service.databaseUrl }
  const [first, second] = [await submit(service.url, { notes: 'one' }), await submit(service.url, { notes: 'two' })]
  const log = here('service.log')
  const erased = { leadId: first, erasedAt: '2026-11-20T08:00:00.000Z', reason: 'request', caller: 'crm.internal' }
  const line = JSON.stringify({ ...erased, msg: 'lead erased' })
  // The last one is as Docker's log driver wraps it in its own files.
  const lines = [line, randomUUID(), 'anything else', JSON.stringify({ log: line, stream: 'stdout' })]
  writeFileSync(log, lines.join('\n'))
  const reapplied = await runCommand('reapply', [log], env)
  assert.equal(reapplied.code, 1)
  assert.match(reapplied.stdout, /^1 lines could not be read: .*\n1 leads erased, 0 were already erased, 1 are not in/)
  // Two people opted out in the same millisecond, one of them without a lead.
  const optedOut = { contactField: 'phone', channels: [], how: 'called', recordedAt: erased.erasedAt }
  const both = [[second], []].map((leadIds) => ({ ...optedOut, optOutId: randomUUID(), leadIds }))
  writeFileSync(log, both.map((line) => `${JSON.stringify({ ...line, msg: 'opt-out recorded' })}\n`).join(''))
  for (const counts of ['1 opt-outs recorded, 0 were known', '0 opt-outs recorded, 1 were known']) {
    const { code, stdout } = await runCommand('reapply', [log], env)
    assert.equal(code, 1)
    assert.match(stdout, new RegExp(`^${counts}\\.\n.*list \\(CSV\\).*: 2026-11-20T08:\\S+ \\(phone, called\\)\n`))
  }

  const { lead } = await inboxClient(service.internalUrl).getLead({ id: first })
  assert.equal(lead?.erasedAt && timestampDate(lead.erasedAt).toISOString(), erased.erasedAt)
  const record = (...args: string[]) => runCommand('consent-record', args, env)
  assert.match((await record(first)).stdout, /^<!doctype html>[\s\S]*\(request, by crm\.internal\)/)
  const { id, personal } = JSON.parse((await record(second, '--json')).stdout)
  assert.deepEqual([id, personal.content.notes, personal.fits], [second, 'two', true])
  assert.equal((await record(randomUUID())).code, 1)
})

test('every opt-out since the backup is repeated from the log and the printed list, whatever the order of files and lines', async () => {
  const settings = { RATE_LIMIT: '1000000' }
  await using service = await runService(settings)
  const inbox = inboxClient(service.internalUrl)
  const contacts: string[] = []
  /** A new person, or one with a number or an address of another. */
  const person = (known: { phone?: string; email?: string } = {}) => {
    const number = contacts.length
    const { phone = `20255501${number + 10}`, email = `p${number}@example.com` } = known
    contacts.push(phone, email)
    return { phone, email }
  }
  const send = (person: object) => submit(service.url, person)
  const said = { name: 'Pat "=Example"', how: OptOutHow.CALLED, channels: [Channel.TEXT], saidAt: { seconds: 1n } }
  const optOut = (contact: string) => inbox.recordOptOut({ contact, ...said })

  const [a, b, c, d, e, f, g] = [person(), person(), person(), person(), person(), person(), person()]
  const g2 = person({ phone: g.phone })
  const before = [await send(b), await send(c), await send(g), await send(g2)]
  const ofF = await send(f)
  await optOut(c.phone)
  const backup = here('opt-outs.bak')
  const { code, stderr } = await runCommand('backup', [backup], { DATABASE_URL: service.databaseUrl })
  assert.equal(code, 0, stderr)

  await optOut(a.phone)
  await optOut(f.email)
  await inbox.eraseLead({ id: before[0] })
  await optOut(b.email)
  await optOut(c.email)
  await send(d)
  await optOut(d.phone)
  const ofE = await send(e)
  for (const id of [ofE, before[2], before[3]]) await inbox.eraseLead({ id, optOut: true })

  const stateOf = async (url: string) => {
    const client = inboxClient(url)
    const optOuts = contacts.map(async (contact) => ({ contact, ...(await client.findOptOuts({ contact })) }))
    const leads = before.map(async (id) => {
      const { lead } = await client.getLead({ id })
      // B's opt-out came after the erasure, and comes before it when both are repeated.
      return [lead?.erased, lead?.erasedAt, id === before[0] || lead?.optedOutAt !== undefined]
    })
    let entries = 0
    for await (const { lead, caughtUp } of client.watchLeads({})) {
      if (caughtUp) break
      if (lead?.id === ofF) entries++
    }
    return { optOuts: await Promise.all(optOuts), leads: await Promise.all(leads), entries }
  }
  const expected = await stateOf(service.internalUrl)
  assert.equal(expected.optOuts.filter(({ optOuts }) => optOuts.length === 0).length, 4, 'of A, B, D and F')
  assert.equal(expected.entries, 2, 'of F, which was received and opted out')
  const port = { INTERNAL_PORT: new URL(service.internalUrl).port }
  const { stdout: list } = await runCommand('do-not-contact', ['--csv'], port)
  service.signal('SIGTERM')
  await service.exited
  for (const contact of contacts) assert(!service.output().includes(contact))
  const lines = service.output().match(/^.*(?:lead erased|opt-out recorded).*$/gm) ?? []

  /** Restores the backup, repeats what two files tell, and returns what the commands say and the service then knows. */
  const repeat = async (name: string, ...files: string[][]) => {
    const env = { ...settings, DATABASE_URL: `sqlite:${here(name)}/leads.db` }
    assert.equal((await runCommand('restore', [backup], env)).code, 0)
    const paths = files.map((_, index) => here(`${name}-${index}.log`))
    for (const [index, path] of paths.entries()) writeFileSync(path, `${files[index]?.join('\n')}\n`)
    const [first, second] = [await runCommand('reapply', paths, env), await runCommand('reapply', paths, env)]
    await using restored = await startService(env)
    return { first, second, state: await stateOf(restored.internalUrl) }
  }
  // The log alone: those of A, B, D and E, of whom the backup has no lead with a contact, are told to be lost.
  const half = Math.ceil(lines.length / 2)
  const alone = await repeat('log', lines.slice(half), lines.slice(0, half))
  assert.match(
    alone.first.stdout,
    /^6 opt-outs recorded, 1 were known\.\n.*by hand: (?:[^;]+; ){4}[^;]+\n3 leads erased/,
  )
  assert.match(alone.second.stdout, /^0 opt-outs recorded, 7 were known\.\n.*\n0 leads erased/)
  assert.deepEqual([alone.first.code, alone.second.code, alone.state.leads], [1, 1, expected.leads])

  // With the printed list, nothing is lost.
  const { first, second, state } = await repeat('list', lines.toReversed(), [list])
  assert.equal(first.code, 0, first.stdout + first.stderr)
  assert.match(first.stdout, /^11 opt-outs recorded, .*\n3 leads erased/)
  assert.match(second.stdout, /^0 opt-outs recorded, .*\n0 leads erased/)
  assert.deepEqual(state, expected)
})
