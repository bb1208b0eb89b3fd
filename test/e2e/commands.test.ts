// The operator's database commands: backups, erasures after a restore, evidence. The one that reads: `leads.test.ts`.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import { OptOutHow } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { Channel } from '../../src/gen/leadintake/v1/lead_pb.ts'
import { postgresBackend, sqliteBackend } from '../store/backends.ts'
import { assertStored, postgresImage, readContents } from '../support/backends.ts'
import { post } from '../support/http.ts'
import { startLoad } from '../support/load.ts'
import { newFolder } from '../support/machine.ts'
import { inboxClient, runCommand, runProgram, runService, startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'

const folder = newFolder()
const here = (name: string) => join(folder, name)

const submit = async (url: string, change: object) =>
  String((await post(url, { ...quote, consentTimestamp: undefined, ...change })).json.id)

test('a backup of SQLite is made under load, and restores every lead acknowledged before', async () => {
  await using service = await runService({ RATE_LIMIT: '1000000' })
  const { ledger, stop, proceeds } = startLoad([service.url], { most: 1e9, connections: 8 })
  void service.exited.then(stop)
  await proceeds(300)
  const before = [...ledger.acknowledged]
  const backup = here('leads.bak')
  const made = await runCommand('backup', [backup], { DATABASE_URL: service.databaseUrl })
  assert.equal(made.code, 0, made.stderr)
  await proceeds(50)
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
    ['backup', ['--help'], none, 64, /^Usage: npm run backup -- FILE.*\n$/],
    ['backup', ['-'], none, 1, /^There is no backup: no database at.*\n$/],
    ['backup', ['-'], postgres, 1, /^There is no backup: DATABASE_URL names no SQLite file: .* pg_dump.*\n$/],
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

test('an erasure is repeated from a log, whatever else is in it; a consent record shows what remains', async () => {
  await using service = await startService()
  const env = { DATABASE_URL: service.databaseUrl }
  const list = here('empty.csv')
  writeFileSync(list, (await runCommand('do-not-contact', ['--csv'], service.env)).stdout)
  const [first, second] = [await submit(service.url, { notes: 'one' }), await submit(service.url, { notes: 'two' })]
  const log = here('service.log')
  const erased = { leadId: first, erasedAt: '2026-11-20T08:00:00.000Z', reason: 'request', caller: 'crm.internal' }
  const line = JSON.stringify({ ...erased, msg: 'lead erased' })
  // As Docker's log driver wraps a line in its own files, and a line of the list that a spreadsheet has saved.
  const damaged = [JSON.stringify({ log: line, stream: 'stdout' }), '"+12025550177",,"11/20/2026"']
  const lines = [line, randomUUID(), 'anything else', ...damaged]
  writeFileSync(log, lines.join('\n'))
  const reapplied = await runCommand('reapply', [log], env)
  assert.equal(reapplied.code, 1)
  assert.match(reapplied.stdout, /^2 lines could not be read: .*\n1 leads erased, 0 were already erased, 1 are not in/)
  // A business in which nobody has opted out or been erased can restore too, but not from a foreign file.
  const [quiet, foreign] = [here('quiet.log'), here('foreign')]
  writeFileSync(quiet, '{"level":"info","evidenceSha256":"0","msg":"request"}\n')
  writeFileSync(foreign, 'anything else\n')
  assert.equal((await runCommand('reapply', [quiet, list], env)).code, 0)
  const listed = here('listed.csv')
  writeFileSync(listed, '"+12025550177","","","2026-11-20T08:00:00Z"\n')
  const withoutLog = await runCommand('reapply', [list, listed], env)
  assert.match(withoutLog.stdout, /^No line about erasures in these files: .* are back\. Add the service's log\.$/m)
  assert.equal(withoutLog.code, 1)
  const refused = await runCommand('reapply', [log, foreign], env)
  assert.match(refused.stdout, /^Nothing was repeated, because \S+foreign has no line that could be read\.\n$/m)
  assert.equal(refused.code, 1)

  const { lead } = await inboxClient(service.internalUrl).getLead({ id: first })
  assert.equal(lead?.erasedAt && timestampDate(lead.erasedAt).toISOString(), erased.erasedAt)
  const record = (...args: string[]) => runCommand('consent-record', args, env)
  assert.match((await record(first)).stdout, /^<!doctype html>[\s\S]*\(by hand or by a program, caller crm\.internal\)/)
  const { id, personal } = JSON.parse((await record(second, '--json')).stdout)
  assert.deepEqual([id, personal.content.notes, personal.fits], [second, 'two', true])
  assert.equal((await record(randomUUID())).code, 1)
})

/** A program of PostgreSQL. */
const postgres = (command: string) =>
  runProgram('sh', ['-c', `docker run --rm --interactive --network=host ${postgresImage} ${command}`])

/** How docs/operations.md backs up and restores. */
const stores = [
  {
    ...sqliteBackend,
    backUp: (DATABASE_URL: string, file: string) => runCommand('backup', [file], { DATABASE_URL }),
    restore: (file: string, DATABASE_URL: string) => runCommand('restore', [file], { DATABASE_URL }),
  },
  {
    ...postgresBackend,
    backUp: (url: string, file: string) => postgres(`pg_dump -Fc '${url}' >'${file}'`),
    restore: (file: string, url: string) =>
      postgres(`pg_restore --exit-on-error --no-owner --no-privileges --dbname='${url}' <'${file}'`),
  },
]

for (const { name, skip, newUrl, backUp, restore } of stores)
  test(`every opt-out and erasure since a backup of ${name} is repeated, whatever the order of files and lines`, {
    skip,
  }, async () => {
    const settings = { RATE_LIMIT: '1000000' }
    await using service = await runService({ ...settings, DATABASE_URL: await newUrl() })
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
    const said = { name: 'Pat "=Example"', how: OptOutHow.CALLED, saidAt: { seconds: 1n } }
    const optOut = (contact: string, channel: Channel = contact.includes('@') ? Channel.EMAIL : Channel.TEXT) =>
      inbox.recordOptOut({ contact, ...said, channels: [channel] })
    const [a, b, c, d, e, f, g] = [person(), person(), person(), person(), person(), person(), person()]
    const h = person()
    const g2 = person({ phone: g.phone })
    const before = [await send(b), await send(c), await send(g), await send(g2)]
    const [ofF, ofH] = [await send(f), await send(h)]
    await optOut(c.phone)
    const backup = here(`opt-outs-${name}.bak`)
    const { code, stderr } = await backUp(service.databaseUrl, backup)
    assert.equal(code, 0, stderr)
    await optOut(a.phone)
    // Perhaps in the same millisecond.
    await Promise.all([optOut(f.phone, Channel.TEXT), optOut(f.phone, Channel.PHONE)])
    await inbox.eraseLead({ id: before[0] })
    await optOut(b.email)
    await optOut(c.email)
    const ofD = await send(d)
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
    assert.equal(expected.optOuts.filter(({ optOuts }) => optOuts.length === 0).length, 6, 'of A, B, D, F and H')
    assert.equal(expected.entries, 3, 'of F, which was received and opted out of two channels')
    const halted = (await inbox.getLead({ id: ofF })).lead?.optedOutAt as Timestamp
    const port = { INTERNAL_PORT: new URL(service.internalUrl).port }
    const { stdout: list } = await runCommand('do-not-contact', ['--csv'], port)
    // What was answered is in the log, even if the process is killed at once.
    await inbox.eraseLead({ id: ofH })
    service.signal('SIGKILL')
    await service.exited
    for (const text of [...contacts, '=Example']) assert(!service.output().includes(text))
    const logged = service.output().match(/^.*(?:lead erased|opt-out recorded).*$/gm) ?? []
    const lines = [...logged.toReversed(), ...logged.slice(5)]

    /** Restores the backup, repeats what two files tell, and returns what the commands say and the service knows. */
    const repeat = async (...files: string[][]) => {
      const env = { ...settings, DATABASE_URL: await newUrl() }
      const { code, stderr } = await restore(backup, env.DATABASE_URL)
      assert.equal(code, 0, stderr)
      const paths = files.map((_, index) => here(`${index}.log`))
      for (const [index, path] of paths.entries()) writeFileSync(path, `${files[index]?.join('\n')}\n`)
      const [first, second] = [await runCommand('reapply', paths, env), await runCommand('reapply', paths, env)]
      await using restored = await startService(env)
      return { first, second, state: await stateOf(restored.internalUrl) }
    }
    // The log alone: those of A, B, D and E, for which the backup has no lead with a contact, are reported as lost.
    const half = Math.ceil(lines.length / 2)
    const alone = await repeat(lines.slice(half), lines.slice(0, half))
    assert.match(
      alone.first.stdout,
      /^7 opt-outs recorded, 1 were known\.\n.*list \(CSV\).* ask who took .* by hand: (?:20\S+Z \((?:phone|email), \w+[^)]*\)(?:; |\n)){5}4 leads erased/,
    )
    assert.match(alone.second.stdout, /^0 opt-outs recorded, 8 were known\.\n.*\n0 leads erased/)
    assert.deepEqual([alone.first.code, alone.second.code, alone.state.leads], [1, 1, expected.leads])

    // Of consumers alone: both contacts of F; and D's, which is not here, is no other's of the same millisecond.
    const at = timestampDate(halted).toISOString()
    const again = [`erase again: ${ofH}`, ...[ofD, ofF].map((id) => `crm opt-out again: ${id} ${at}`)]
    const told = await repeat([...again, ...again])
    const lost = `.*or missing.*: ${at} \\(${ofD}\\)`
    assert.match(told.first.stdout, new RegExp(`^2 opt-outs recorded, 0 were known\\.\n${lost}\n1 leads erased`))
    assert.match(told.second.stdout, new RegExp(`^0 opt-outs recorded, 2 were known\\.\n${lost}\n0 leads erased`))
    assert.equal(told.state.entries, 2)

    // With the printed list, nothing is lost.
    const { first, second, state } = await repeat(lines, [list])
    assert.equal(first.code, 0, first.stdout + first.stderr)
    assert.match(first.stdout, /^12 opt-outs recorded, 1 were known\.\n4 leads erased/)
    assert.match(second.stdout, /^0 opt-outs recorded, 13 were known\.\n0 leads erased/)
    assert.deepEqual(state, expected)
  })
