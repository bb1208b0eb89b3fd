// A system call on the SQLite file fails once, another program reads the file, and the service is killed.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { assertStored, readContents } from '../support/backends.ts'
import { startLoad } from '../support/load.ts'
import { skipWithout } from '../support/machine.ts'
import { inboxClient, runCommand, runProgram, runService } from '../support/service.ts'
import { until } from '../support/until.ts'

/** Makes these calls on the files fail in each thread of a process (`when` in strace), until this is disposed of. */
async function injectFaults(
  pid: number,
  files: readonly string[],
  calls: readonly string[],
  error: string,
  when = '1',
) {
  const paths = files.flatMap((file) => ['-P', file])
  // Only EIO makes the service open the file again.
  const errorOf = (call: string) => (calls.includes('openat') && call !== 'openat' ? 'EIO' : error)
  const faults = calls.flatMap((call) => ['-e', `inject=${call}:error=${errorOf(call)}:when=${when}`])
  const strace = spawn('strace', ['-f', '-p', `${pid}`, ...paths, '-e', `trace=${calls.join()}`, ...faults])
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

const sync = 'fsync,fdatasync'

suite('nothing acknowledged is lost', { skip: skipWithout('strace', 'sqlite3') }, () => {
  for (const [moment, files, calls, when, during] of [
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
      test(`if ${calls.join(' and ')} fails with ${error} when ${moment}`, async () => {
        await using service = await runService({ RATE_LIMIT: '1000000' })
        const file = join(service.folder, 'leads.db')
        const inbox = inboxClient(service.internalUrl)
        const load = startLoad([service.url], { connections: 4, perSecond: 200 })
        const { acknowledged } = load.ledger
        const proceeds = async () => {
          const wanted = acknowledged.length + 20
          await until('leads are taken', () => acknowledged.length >= wanted)
        }
        try {
          await proceeds()
          // The connection that reads is open from now on.
          await inbox.listLeads({})
          const id = acknowledged[0] as string
          {
            const pid = service.child.pid as number
            const paths = files.map((suffix) => file + suffix)
            await using faults = await injectFaults(pid, paths, calls, error, when)
            const backup = during && runCommand('backup', [`${file}.bak`], { DATABASE_URL: service.databaseUrl })
            // An erasure also makes a checkpoint and cuts off the WAL.
            await until('it is erased', () => inbox.eraseLead({ id }), { withinMs: 60_000 })
            await faults.hit()
            assert.equal((await backup)?.code ?? 0, 0)
          }
          await proceeds()
          const look = await runProgram('sqlite3', [file, 'SELECT count(*) FROM leads'])
          assert.equal(look.code, 0, look.stderr)
          await proceeds()
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
      })
})
