// What a business must survive, under steady load. `npm run chaos` (`npm test -- --long`) adds the rarer failures.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { Code } from '@connectrpc/connect'
import { startRedisServer } from '../limit/redis-server.ts'
import { skipWithoutEngine } from '../support/backends.ts'
import { newFolder } from '../support/folder.ts'
import { post } from '../support/http.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { newLead } from '../support/load.ts'
import { runCommand } from '../support/process.ts'
import { startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { isLong } from '../support/tools.ts'
import { until } from '../support/until.ts'
import { drill } from './drill.ts'
import { replicaCount, startFleet } from './fleet.ts'
import { startPostgresPair, startPostgresServer } from './postgres-server.ts'
import { startTcpProxy } from './tcp-proxy.ts'

/** A database goes back to `mark`: every consumer learns which leads are lost, and the log brings back the others. */
async function assertLossIsKnown(databaseUrl: string, mark: () => Promise<void>, goBack: () => Promise<void>) {
  const settings = { DATABASE_URL: databaseUrl }
  await using service = await startService(settings)
  const inbox = inboxClient(service.internalUrl)
  const submit = async (count: number, body?: object) => {
    const answers = await Promise.all(Array.from({ length: count }, () => post(service.url, body ?? newLead())))
    return answers.map(({ json }) => String(json.id))
  }
  /** The leads of the feed's entries after a cursor, and its last cursor. */
  const read = async (cursor = '') => {
    const ids: string[] = []
    for await (const message of inbox.watchLeads({ cursor })) {
      if (!message.lead) return { ids: ids.sort(), cursor: message.cursor }
      ids.push(message.lead.id)
    }
    throw new Error('the stream ended')
  }
  const person = { ...quote, consentTimestamp: undefined, email: 'robin@example.org', phone: '202-555-0177' }
  const kept = [...(await submit(15)), ...(await submit(1, person))]
  const [erased = '', optedOut = ''] = [kept[0], kept.at(-1)]
  const stateOf = async () => {
    const { lead } = await inbox.getLead({ id: optedOut })
    const { optOuts } = await inbox.findOptOuts({ contact: person.email })
    return [(await inbox.getLead({ id: erased })).lead?.erasedAt, lead?.optedOutAt, optOuts]
  }
  const before = await read()
  await mark()
  const lost = await submit(15)
  await inbox.recordOptOut({ contact: person.email })
  await inbox.eraseLead({ id: erased })
  const [copies, state] = [[await read(), await read(before.cursor)], await stateOf()]
  await goBack()
  await until('leads are stored', async () => (await fetch(`${service.opsUrl}/readyz`)).ok)
  // As many as the lost entries, so that each position is used again.
  const added = await submit(17)
  const now = await read()
  assert.deepEqual(now.ids, [...kept, ...added].sort())
  for (const { ids, cursor } of copies) {
    await assert.rejects(read(cursor), { code: Code.OutOfRange })
    assert.deepEqual(new Set(ids).difference(new Set(now.ids)), new Set(lost))
  }
  assert.deepEqual((await read(before.cursor)).ids, added.sort())

  const log = join(newFolder(), 'service.log')
  writeFileSync(log, service.log())
  const { code, stdout, stderr } = await runCommand('reapply', [log], settings)
  assert.equal(code, 0, stdout + stderr)
  assert.deepEqual(await stateOf(), state)
  assert.deepEqual((await read(now.cursor)).ids, [erased, optedOut].sort())
}

suite('failures', { skip: skipWithoutEngine, timeout: 600_000 }, () => {
  test('Redis is cut off', async () => {
    await using redis = await startRedisServer()
    await using way = await startTcpProxy(redis.port)
    await using fleet = await startFleet({ REDIS_URL: `redis://127.0.0.1:${way.port}` })
    await drill(fleet, { begin: way.cut, told: 'degraded', end: () => way.lead() })
  })

  for (const [title, start, setting, told, begin, end] of [
    ['Redis stalls', startRedisServer, 'REDIS_URL', 'degraded', 'pause', 'unpause'],
    ['Redis crashes and starts again, empty', startRedisServer, 'REDIS_URL', 'degraded', 'kill', 'restart'],
    ['PostgreSQL stalls', startPostgresServer, 'DATABASE_URL', 'unavailable', 'pause', 'unpause'],
    ['PostgreSQL recovers from its log', startPostgresServer, 'DATABASE_URL', 'unavailable', 'kill', 'restart'],
  ] as const) {
    if (begin === 'kill' && !isLong) continue
    test(title, async () => {
      await using server = await start()
      await using fleet = await startFleet({ [setting]: server.url })
      const countsLost = begin === 'kill' && told === 'degraded'
      await drill(fleet, { begin: server[begin], told, end: server[end], countsLost })
    })
  }

  test('PostgreSQL fails over to a standby that is read-only until it is promoted', async () => {
    await using pair = await startPostgresPair()
    await using way = await startTcpProxy(pair.port)
    await using fleet = await startFleet({ DATABASE_URL: pair.urlAt(way.port) })
    await drill(fleet, {
      begin: async () => {
        await pair.killPrimary()
        way.cut()
        await way.lead(pair.standbyPort)
      },
      told: 'unavailable',
      end: pair.promote,
    })
  })

  test('a standby that lacks leads is promoted: every consumer learns it, and knows which', async () => {
    await using pair = await startPostgresPair()
    await using way = await startTcpProxy(pair.port)
    await assertLossIsKnown(pair.urlAt(way.port), pair.separate, async () => {
      await pair.killPrimary()
      way.cut()
      await pair.promote()
      await way.lead(pair.standbyPort)
    })
  })

  test('a replica is killed, and another takes its place', async () => {
    await using fleet = await startFleet()
    await drill(fleet, { begin: () => fleet.end(0, 'SIGKILL'), end: () => fleet.replace(0), mayBreak: true })
  })

  test('three replicas are replaced one by one, and no request fails', async () => {
    await using fleet = await startFleet({ DRAIN_SECONDS: '2' })
    await drill(fleet, {
      begin: async () => {
        for (let index = 0; index < replicaCount; index++) {
          // Like an orchestrator: stops the replica while callers are led to the others, and lets it drain.
          const ended = fleet.end(index, 'SIGTERM')
          const [url = ''] = fleet.urls.splice(index, 1)
          await ended
          await fleet.replace(index)
          fleet.urls.splice(index, 0, url)
        }
      },
    })
  })
})
