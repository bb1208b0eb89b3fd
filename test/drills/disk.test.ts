// A system call on the SQLite file fails once, another program reads the file, and the service is killed.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { assertStored, readContents } from '../support/backends.ts'
import { assertProblem, post, untilReady } from '../support/http.ts'
import { newLead, startLoad } from '../support/load.ts'
import { skipWithout } from '../support/machine.ts'
import { inboxClient, type RunningService, runCommand, runProgram, runService } from '../support/service.ts'
import { until } from '../support/until.ts'

const fileOf = ({ folder }: RunningService) => join(folder, 'leads.db')

/** Makes these calls fail in each thread of a service (`when` in strace), until this is disposed of. */
async function injectFaults(
  service: RunningService,
  /** Of the file and those beside it. */
  suffixes: readonly string[],
  calls: readonly string[],
  error: string,
  when = '1',
) {
  const paths = suffixes.flatMap((suffix) => ['-P', fileOf(service) + suffix])
  // Only EIO makes the service open the file again.
  const errorOf = (call: string) => (calls.includes('openat') && call !== 'openat' ? 'EIO' : error)
  const faults = calls.flatMap((call) => ['-e', `inject=${call}:error=${errorOf(call)}:when=${when}`])
  const traced = ['-f', '-p', `${service.child.pid}`, ...paths, '-e', `trace=${calls.join()}`]
  const strace = spawn('strace', [...traced, ...faults])
  const exited = once(strace, 'close')
  let output = ''
  strace.stderr.on('data', (chunk) => (output += chunk))
  await until('strace is attached', () => output.includes('attached') || strace.exitCode !== null)
  const haveFailed = () => calls.every((call) => new RegExp(`(${call.replace(',', '|')})\\(.*INJECTED`).test(output))
  return {
    hit: () => until('the calls fail', haveFailed),
    async [Symbol.asyncDispose]() {
      strace.kill('SIGINT')
      await exited
    },
  }
}

/** Lets something happen to the file while leads come in, then reads it, kills the service, and compares ledgers. */
async function drill(happen: (service: RunningService, erase: () => Promise<unknown>) => Promise<void>) {
  await using service = await runService({ RATE_LIMIT: '1000000' })
  const inbox = inboxClient(service.internalUrl)
  const load = startLoad([service.url], { connections: 4, perSecond: 200 })
  const { acknowledged } = load.ledger
  // It also makes a checkpoint and cuts off the WAL.
  const erase = () => until('it is erased', () => inbox.eraseLead({ id: acknowledged[0] }), { withinMs: 60_000 })
  try {
    await load.proceeds()
    // The connection that reads is open from now on.
    await inbox.listLeads({})
    await happen(service, erase)
    await erase()
    await load.proceeds()
    await inbox.getLead({ id: acknowledged.at(-1) })
    const look = await runProgram('sqlite3', [fileOf(service), 'SELECT count(*) FROM leads'])
    assert.equal(look.code, 0, look.stderr)
    await load.proceeds()
    service.signal('SIGKILL')
    await service.exited
  } finally {
    await load.stop()
  }
  const contents = await readContents(service.databaseUrl)
  assertStored(acknowledged, contents)
  // All but the erased one have contents.
  assert.equal(contents.distinct, contents.leads.length - 1)
  assert(contents.leads.length <= acknowledged.length + 4, 'stored, but never sent')
  const others = [...load.ledger.others.keys()].filter((other) => other !== '503' && other !== 'error')
  assert.deepEqual(others, [])
}

const sync = 'fsync,fdatasync'

suite('nothing acknowledged is lost', { skip: skipWithout('strace', 'sqlite3') }, () => {
  for (const [moment, suffixes, calls, when, during] of [
    ['a commit is written', ['-wal'], ['pwrite64']],
    ['a commit is synced', ['-wal'], [sync]],
    ['the file is opened again', ['', '-wal'], ['pwrite64', 'openat']],
    ['a checkpoint is written', [''], ['pwrite64']],
    ['a checkpoint is synced', [''], [sync]],
    ['erased text is cut off', ['-wal'], ['ftruncate']],
    // Every other call on it gives a lock back. The process keeps one that it cannot give back.
    ['locks are given back', ['-shm'], ['fcntl'], '2..6+2'],
    ['a backup is made', ['-wal'], ['pwrite64'], '1', 'backup'],
  ] as [string, string[], string[], string?, 'backup'?][])
    for (const error of calls.includes('fcntl') ? ['EIO'] : ['EIO', 'ENOSPC'])
      test(`if ${calls.join(' and ')} fails with ${error} when ${moment}`, () =>
        drill(async (service, erase) => {
          await using faults = await injectFaults(service, suffixes, calls, error, when)
          const { databaseUrl } = service
          const backup = during && runCommand('backup', [`${fileOf(service)}.bak`], { DATABASE_URL: databaseUrl })
          await erase()
          await faults.hit()
          assert.equal((await backup)?.code ?? 0, 0)
        }))

  test('if the disk is full for a while, and the log says so', () =>
    drill(async (service) => {
      await using _ = await injectFaults(service, ['', '-wal'], ['pwrite64'], 'ENOSPC', '1+')
      await untilReady(service, 'ok, but database: sqlite_13: database or disk is full')
      assertProblem(await post(service.url, newLead()), 503, 'service_unavailable')
    }))

  test('if the file is moved away, and a copy put in its place, while the service runs', () =>
    drill(async ({ folder, opsUrl }) => {
      const away = join(folder, 'away')
      mkdirSync(away)
      for (const name of ['leads.db', 'leads.db-wal', 'leads.db-shm']) renameSync(join(folder, name), join(away, name))
      await untilReady({ opsUrl }, 'ok, but database: sqlite: ENOENT')
      for (const name of ['leads.db-wal', 'leads.db']) cpSync(join(away, name), join(folder, name))
    }))
})
