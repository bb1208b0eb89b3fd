// The inbox's promise: a consumer that upserts leads and stores the cursor has the same leads as the service, in commit
// order, whatever happens to connections and replicas.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Lead } from '../../src/gen/leadintake/v1/lead_pb.ts'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { readContents } from '../support/database.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { startLoad } from '../support/load.ts'
import { type RunningService, runService } from '../support/process.ts'
import { quote } from '../support/submissions.ts'
import { isLong } from '../support/tools.ts'
import { until } from '../support/until.ts'

/** Codes of an interrupted stream. */
const cutOff = [Code.Canceled, Code.Unavailable, Code.Aborted, Code.Internal, Code.Unknown]

type Inbox = ReturnType<typeof inboxClient>
const oneOf = <T>(values: readonly T[]) => values[Math.floor(Math.random() * values.length)] as T
const anyOf = (replicas: readonly RunningService[]) => inboxClient(oneOf(replicas).internalUrl)

/**
 * Follows the feed with repeated connections to one of the replicas, until `over` accepts the last cursor. Returns the
 * cursor that each stream began after and those that it received, and a copy of the leads by id.
 */
async function followWithInterruptions(replicas: readonly RunningService[], over: (cursor: string) => boolean) {
  const streams: { after: string; cursors: string[] }[] = []
  const copy = new Map<string, Lead>()
  let cursor = ''
  while (!over(cursor)) {
    const cursors: string[] = []
    streams.push({ after: cursor, cursors })
    const leave = new AbortController()
    let patience: NodeJS.Timeout | undefined
    const most = 1 + Math.random() * 400
    try {
      const { signal } = leave
      for await (const message of anyOf(replicas).watchLeads({ cursor, consumer: 'copy' }, { signal })) {
        // From the first message on, so that each stream gets somewhere on a machine that is busy.
        patience ??= setTimeout(() => leave.abort(), 200 + Math.random() * 1_000)
        if (message.lead) cursors.push(message.cursor)
        // A consumer that crashes before storing both lead and cursor receives the lead again.
        if (Math.random() < 0.01) break
        if (message.lead) copy.set(message.lead.id, message.lead)
        cursor = message.cursor
        if (cursors.length > most) break
      }
    } catch (error) {
      assert.ok(cutOff.includes(ConnectError.from(error).code), String(error))
      await delay(10)
    } finally {
      clearTimeout(patience)
      // Leaving the loop does not end the call.
      leave.abort()
    }
  }
  return { streams, copy }
}

/** Calls the replicas until one answers. */
async function callOne(replicas: readonly RunningService[], call: (client: Inbox) => Promise<unknown>) {
  for (;;) {
    try {
      return await call(anyOf(replicas))
    } catch (error) {
      assert.ok(cutOff.includes(ConnectError.from(error).code), String(error))
      await delay(20)
    }
  }
}

/** The whole feed, from one stream. */
async function readFeed(client: Inbox): Promise<{ lead: Lead; cursor: string }[]> {
  const feed: { lead: Lead; cursor: string }[] = []
  for await (const { lead, cursor } of client.watchLeads({})) {
    if (!lead) break
    feed.push({ lead, cursor })
  }
  return feed
}

// One replica with SQLite: test/e2e/consumers.test.ts.
test("a consumer's copy equals the service's leads, erasures and stops while replicas and connections fail", {
  skip: skipWithoutEngine,
  timeout: 180_000,
}, async () => {
  const env = { DATABASE_URL: await postgresUrl(), STOP_KEY: 'a key of sixteen characters' }
  await using all = new AsyncDisposableStack()
  const start = async () => all.use(await runService(env))
  const replicas = [await start(), await start()]
  const urls = replicas.map(({ url }) => url)
  const load = startLoad(urls, { connections: 8, most: isLong ? 2_500 : 400, perSecond: 200, resend: true })
  let last: string | undefined
  const consumers = Array.from({ length: 3 }, () => followWithInterruptions(replicas, (cursor) => cursor === last))
  let loading = true
  const erased = new Set<string>()
  const eraseSome = async () => {
    while (loading) {
      const { acknowledged } = load.ledger
      if (acknowledged.length > 0) {
        const id = oneOf(acknowledged)
        await callOne(replicas, (client) => client.eraseLead({ id }))
        erased.add(id)
      }
      await delay(30)
    }
  }
  const erasing = eraseSome()
  const ends = isLong ? (['SIGKILL', 'SIGTERM', 'SIGKILL', 'SIGTERM'] as const) : (['SIGTERM', 'SIGKILL'] as const)
  for (const [round, signal] of ends.entries()) {
    await until('leads were acknowledged', () => load.ledger.acknowledged.length > 100 * (round + 1))
    // All leads have this number, so each earlier lead appears again. The replica may be killed during that.
    if (round === ends.length / 2)
      await callOne(replicas, (client) => client.recordStop({ contact: String(quote.phone) }))
    const old = oneOf(replicas)
    old.signal(signal)
    await old.exited
    const fresh = await start()
    replicas[replicas.indexOf(old)] = fresh
    urls[urls.indexOf(old.url)] = fresh.url
  }
  const { acknowledged } = await load.done
  loading = false
  await erasing

  const client = anyOf(replicas)
  const isStopped = ({ erased: isErased, stoppedAt }: Lead) => isErased || stoppedAt !== undefined
  let feed = await readFeed(client)
  while (!feed.every(({ lead }) => isStopped(lead))) feed = await readFeed(client)
  last = feed.at(-1)?.cursor
  const place = new Map(feed.map(({ cursor }, index) => [cursor, index]))
  const current = new Map(feed.map(({ lead }) => [lead.id, lead]))
  const stored = (await readContents(env.DATABASE_URL)).leads
  assert.deepEqual([...new Set(feed.map(({ lead }) => lead.id))], stored, 'each lead, in the order of the commits')
  assert.deepEqual(
    acknowledged.filter((id) => !current.has(id)),
    [],
  )
  const erasures = feed.filter(({ lead }) => erased.has(lead.id))
  assert.ok(erasures.length >= 2 * erased.size, 'each erased lead comes at its own place, and once more')
  assert.ok(erasures.every(({ lead }) => lead.erased && lead.content.case === undefined))

  for (const { streams, copy } of await Promise.all(consumers)) {
    for (const { after, cursors } of streams) {
      const known = place.get(after)
      const begin = known === undefined ? place.get(String(cursors[0])) : known + 1
      assert.deepEqual(
        cursors,
        feed.slice(begin, Number(begin) + cursors.length).map(({ cursor }) => cursor),
      )
      // A stream that was cut off before its first message has no position to compare.
      if (after === '' && cursors.length > 0) assert.equal(begin, 0)
    }
    for (const [id, lead] of current) {
      const held = copy.get(id)
      assert.deepEqual([held?.erased, held?.erasedAt], [lead.erased, lead.erasedAt], id)
      assert.equal(held?.content.case, lead.content.case)
      if (!lead.erased) assert.deepEqual(held?.stoppedAt, lead.stoppedAt)
    }
  }
})
