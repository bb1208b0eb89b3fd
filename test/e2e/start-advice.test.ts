import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { createStops } from '../../src/inbox/stops.ts'
import { openStore } from '../../src/store/open.ts'
import { newFile } from '../store/backends.ts'
import { bundleVariable } from '../support/backends.ts'
import { run, runService, untilPrinted } from '../support/process.ts'

suite('a start that fails for a fixable reason says what to do, in one line without a stack', () => {
  /** Starts the service with these settings and returns the message of its last line. */
  async function lastWords(env: Record<string, string>, exitCode = 1): Promise<string> {
    const service = await run(['node', 'src/main.ts'], env)
    try {
      assert.equal(await service.exited, exitCode)
      assert.doesNotMatch(service.output(), /"stack"|at file:/)
      return JSON.parse(service.output().trim().split('\n').at(-1) as string).msg
    } finally {
      await service.dispose()
    }
  }

  test('when a port is in use, or the address belongs to another machine', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    try {
      const names = ['PORT', 'INTERNAL_PORT', 'OPS_PORT']
      const words = await Promise.all(names.map((name) => lastWords({ [name]: String(port) })))
      assert.deepEqual(
        words,
        names.map((name) => `port ${port} is in use: set ${name}`),
      )
    } finally {
      other.close()
    }
    assert.equal(await lastWords({ HOST: '192.0.2.1' }), '192.0.2.1 is not an address of this machine: set HOST')
  })

  test("when the database's folder is unusable", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'start-'))
    const file = join(folder, 'file')
    writeFileSync(file, 'not a database, but long enough that SQLite reads its header. '.repeat(20))
    try {
      const words = (path: string) => lastWords({ DATABASE_URL: `sqlite:${path}` })
      assert.match(
        await words(join(file, 'leads.db')),
        new RegExp(`^the folder ${file} cannot be written \\(E\\w+\\): make it writable, or set DATABASE_URL$`),
      )
      assert.equal(await words(file), `the file ${file} is not an SQLite database: set DATABASE_URL`)
      assert.equal(
        await words(folder),
        `the database cannot be opened, because ${folder} is a folder: set DATABASE_URL`,
      )
      assert.doesNotMatch(await words(join(file, 'user:canary@host')), /canary/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('when STOP_KEY lacks a key with which stops were recorded', async () => {
    const [older, newer] = ['an older key of many characters', 'a newer key of many characters']
    const url = `sqlite:${newFile('leads.db')}`
    const store = await openStore({ url })
    const stops = createStops({ store: store.inbox, keys: [older], now: Date.now, onError: assert.ifError })
    await stops.record({ contact: 'pat@example.com', channels: [], saidAtMs: undefined, how: '' }, undefined)
    await stops.close()
    await store.close()
    for (const STOP_KEY of ['', newer]) {
      const words = await lastWords({ STOP_KEY, DATABASE_URL: url }, 78)
      assert.match(words, /^STOP_KEY: expected every key .* it lacks the key with the id [0-9a-f]{16}$/)
    }
    const command = ['node', 'src/commands/certificate.ts', '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a10']
    const certificate = await run(command, { DATABASE_URL: url, STOP_KEY: newer })
    assert.equal(await certificate.exited, 78)
    assert.match(certificate.output(), /STOP_KEY: expected every key/)
    await certificate.dispose()
    await (await runService({ DATABASE_URL: url, STOP_KEY: `${newer},${older}` })).dispose()
  })
})

suite('a start with problems prints what is in force', () => {
  test('without its database and Redis', async () => {
    const service = await run(['node', 'src/main.ts', '--local'], {
      DATABASE_URL: 'postgres://user:canary@127.0.0.1:9/leads',
      REDIS_URL: 'redis://:canary@127.0.0.1:9',
      REPLICAS: '3',
    })
    try {
      await untilPrinted(service, 'Documentation')
      assert.match(service.output(), /leads cannot be stored \(postgres: ECONNREFUSED\).*check DATABASE_URL/)
      assert.match(service.output(), /Redis is unavailable.*accepts 3 of the 10 submissions per client; check REDIS_/)
      assert.match(service.output(), /limit +3 submissions per 60 seconds and client, counted in this process/)
      assert.match(service.output(), /PostgreSQL at 127\.0\.0\.1:9, which cannot store leads now/)
      assert.doesNotMatch(service.output(), /"stack"|canary|counted in Redis/)
    } finally {
      await service.dispose()
    }
  })

  test('including which variable was probably misspelled', async () => {
    const service = await runService({ RATELIMIT: '5' })
    try {
      await untilPrinted(service, '"msg":"RATELIMIT: no setting has this name; did you mean RATE_LIMIT?"')
    } finally {
      await service.dispose()
    }
  })
})

test('a crash before the log exists is told in readable lines', async () => {
  const crash = `Object.defineProperty(process.stdout, 'isTTY', { get() { throw new Error('too early') } })`
  const preload = `data:text/javascript,${encodeURIComponent(crash)}`
  const service = await run(['node', '--import', preload, process.env[bundleVariable] ?? 'src/main.ts'])
  try {
    assert.equal(await service.exited, 1)
    assert.match(service.output(), /^Lead Intake could not start: Error: too early\n +at /)
    for (const line of service.output().split('\n')) assert(line.length < 300, line.slice(0, 300))
  } finally {
    await service.dispose()
  }
})
