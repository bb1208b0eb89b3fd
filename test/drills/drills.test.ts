// What a business must survive, under steady load.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Code } from '@connectrpc/connect'
import { skipWithoutEngine } from '../support/backends.ts'
import { post } from '../support/http.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { newLead } from '../support/load.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { drill, startFleet } from './drill.ts'
import { startPostgresPair, startPostgresServer } from './postgres-server.ts'
import { startTcpProxy } from './tcp-proxy.ts'

suite('failures', { skip: skipWithoutEngine, timeout: 600_000 }, () => {
  test('PostgreSQL stalls', async () => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await startPostgresServer())
    const fleet = await startFleet(stack, { DATABASE_URL: server.url })
    await drill(fleet, server.pause, server.unpause)
  })

  test('PostgreSQL fails over to a standby that is read-only until it is promoted', async () => {
    await using stack = new AsyncDisposableStack()
    const pair = stack.use(await startPostgresPair())
    let { port } = pair
    const way = stack.use(await startTcpProxy(() => port))
    const fleet = await startFleet(stack, { DATABASE_URL: pair.urlAt(way.port) })
    const failOver = async () => {
      await pair.killPrimary()
      way.cut()
      port = pair.standbyPort
      await way.lead()
    }
    await drill(fleet, failOver, pair.promote)
  })

  test('three replicas are replaced one by one, and no request fails', async () => {
    await using stack = new AsyncDisposableStack()
    const fleet = await startFleet(stack, { DRAIN_SECONDS: '2' })
    await drill(fleet, fleet.replaceAll)
  })
})

test('a standby that lacks leads is promoted: every consumer learns it, and knows which', {
  skip: skipWithoutEngine,
}, async () => {
  await using pair = await startPostgresPair()
  let { port } = pair
  await using way = await startTcpProxy(() => port)
  await using service = await startService({ DATABASE_URL: pair.urlAt(way.port) })
  const inbox = inboxClient(service.internalUrl)
  const submit = async (count: number) => {
    const answers = await Promise.all(Array.from({ length: count }, () => post(service.url, newLead())))
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
  const kept = await submit(15)
  const before = await read()
  await pair.separate()
  const lost = await submit(15)
  await inbox.eraseLead({ id: String(kept[0]) })
  const copies = [await read(), await read(before.cursor)]
  await pair.killPrimary()
  way.cut()
  await pair.promote()
  port = pair.standbyPort
  await way.lead()
  await until('leads are stored', async () => (await fetch(`${service.opsUrl}/readyz`)).ok)
  // As many as the lost entries, so that each position is used again.
  const added = await submit(16)
  const now = await read()
  assert.deepEqual(now.ids, [...kept, ...added].sort())
  for (const { ids, cursor } of copies) {
    await assert.rejects(read(cursor), { code: Code.OutOfRange })
    assert.deepEqual(new Set(ids).difference(new Set(now.ids)), new Set(lost))
  }
  assert.deepEqual((await read(before.cursor)).ids, added.sort())
})
