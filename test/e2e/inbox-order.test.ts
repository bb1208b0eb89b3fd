// The inbox's promise: a consumer that upserts leads and stores the cursor has the same leads as the service, in commit
// order, whatever happens to connections and replicas.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Lead } from '../../src/gen/leadintake/v1/lead_pb.ts'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { readContents } from '../support/database.ts'
import { inboxClient, listAll } from '../support/inbox-client.ts'
import { startLoad } from '../support/load.ts'
import { type RunningService, runService } from '../support/process.ts'
import { quote } from '../support/submissions.ts'
import { isLong } from '../support/tools.ts'
import { until } from '../support/until.ts'

/** A consumer's copy: the leads by id. */
type Copy = Map<string, Lead>

/** One stream of a consumer: where it started, and the cursors that it received. */
interface Stream {
  after: string
  cursors: string[]
}

/** Codes of an interrupted stream. */
const cutOff = [Code.Canceled, Code.Unavailable, Code.Aborted, Code.Internal, Code.Unknown]

/**
 * Follows the feed with repeated connections to one of the replicas, and keeps a copy, until `over` accepts the last
 * cursor.
 */
async function followWithInterruptions(replicas: readonly RunningService[], over: (cursor: string) => boolean) {
  const streams: Stream[] = []
  const copy: Copy = new Map()
  let cursor = ''
  while (!over(cursor)) {
    const replica = replicas[Math.floor(Math.random() * replicas.length)]
    const stream: Stream = { after: cursor, cursors: [] }
    streams.push(stream)
    const leave = new AbortController()
    let patience: NodeJS.Timeout | undefined
    const most = 1 + Math.random() * 400
    try {
      const { signal } = leave
      const messages = inboxClient(String(replica?.internalUrl)).watchLeads({ cursor, consumer: 'copy' }, { signal })
      for await (const message of messages) {
        // From the first message on, so that each stream gets somewhere on a machine that is busy.
        patience ??= setTimeout(() => leave.abort(), 200 + Math.random() * 1_000)
        if (message.lead) stream.cursors.push(message.cursor)
        // A consumer that crashes before storing both lead and cursor receives the lead again.
        if (Math.random() < 0.01) break
        if (message.lead) copy.set(message.lead.id, message.lead)
        cursor = message.cursor
        if (stream.cursors.length > most) break
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
async function callOne<T>(
  replicas: readonly RunningService[],
  call: (client: ReturnType<typeof inboxClient>) => Promise<T>,
): Promise<T> {
  for (;;) {
    const replica = replicas[Math.floor(Math.random() * replicas.length)]
    try {
      return await call(inboxClient(String(replica?.internalUrl)))
    } catch (error) {
      assert.ok(cutOff.includes(ConnectError.from(error).code), String(error))
      await delay(20)
    }
  }
}

/** The whole feed, from one stream. */
async function readFeed(client: ReturnType<typeof inboxClient>): Promise<{ lead: Lead; cursor: string }[]> {
  const feed: { lead: Lead; cursor: string }[] = []
  for await (const { lead, cursor } of client.watchLeads({})) {
    if (!lead) break
    feed.push({ lead, cursor })
  }
  return feed
}

const stores = [
  { name: 'PostgreSQL', env: async () => ({ DATABASE_URL: await postgresUrl() }), skip: skipWithoutEngine },
  { name: 'SQLite', env: async () => ({}), skip: false },
] as const

for (const { name, env, skip } of stores) {
  suite(`the inbox with ${name}`, { skip }, () => {
    test("a consumer's copy equals the service's leads, erasures and stops while replicas and connections fail", {
      timeout: 180_000,
    }, async (t) => {
      const STOP_KEY = 'a key of sixteen characters'
      const database: Record<string, string> = await env()
      const first = await runService({ ...database, STOP_KEY })
      const start = () => runService({ DATABASE_URL: first.databaseUrl, STOP_KEY })
      // A SQLite file belongs to one replica.
      const replicas = name === 'SQLite' ? [first] : [first, await start()]
      const ended: RunningService[] = []
      try {
        const urls = replicas.map(({ url }) => url)
        const load = startLoad(urls, { connections: 8, most: isLong ? 2_500 : 400, perSecond: 200, resend: true })
        let last: string | undefined
        const consumers = Array.from({ length: 3 }, () =>
          followWithInterruptions(replicas, (cursor) => cursor === last),
        )
        let loading = true
        const erased = new Set<string>()
        const eraseSome = async () => {
          while (loading) {
            const { acknowledged } = load.ledger
            const id = acknowledged[Math.floor(Math.random() * acknowledged.length)]
            if (id !== undefined) {
              await callOne(replicas, (client) => client.eraseLead({ id }))
              erased.add(id)
            }
            await delay(30)
          }
        }
        const erasing = eraseSome()
        const ends = isLong
          ? (['SIGKILL', 'SIGTERM', 'SIGKILL', 'SIGTERM'] as const)
          : (['SIGTERM', 'SIGKILL'] as const)
        for (const [round, signal] of ends.entries()) {
          await until('leads were acknowledged', () => load.ledger.acknowledged.length > 100 * (round + 1))
          // All leads have this number, so each earlier lead appears again. The replica may be killed during that.
          if (round === ends.length / 2)
            await callOne(replicas, (client) => client.recordStop({ contact: String(quote.phone) }))
          const index = Math.floor(Math.random() * replicas.length)
          const old = replicas[index] as RunningService
          ended.push(old)
          old.signal(signal)
          await old.exited
          const fresh = await start()
          replicas[index] = fresh
          urls[index] = fresh.url
        }
        const { acknowledged, others } = await load.done
        loading = false
        await erasing

        const client = inboxClient(String(replicas[0]?.internalUrl))
        const isStopped = ({ erased: isErased, stoppedAt }: Lead) => isErased || stoppedAt !== undefined
        let feed = await readFeed(client)
        while (!feed.every(({ lead }) => isStopped(lead))) feed = await readFeed(client)
        last = feed.at(-1)?.cursor
        const place = new Map(feed.map(({ cursor }, index) => [cursor, index]))
        const current = new Map(feed.map(({ lead }) => [lead.id, lead]))
        const stored = (await readContents(first.databaseUrl)).leads
        assert.deepEqual(new Set(current.keys()), new Set(stored))
        assert.deepEqual(
          acknowledged.filter((id) => !current.has(id)),
          [],
        )
        const seen = new Set<string>()
        const order = feed.filter(({ lead }) => !seen.has(lead.id) && seen.add(lead.id)).map(({ lead }) => lead.id)
        assert.deepEqual(order, stored)
        const erasures = feed.filter(({ lead }) => erased.has(lead.id))
        assert.ok(erasures.length >= 2 * erased.size, 'each erased lead comes at its own place, and once more')
        assert.ok(erasures.every(({ lead }) => lead.erased && lead.content.case === undefined))

        let count = 0
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
            count++
          }
          for (const [id, lead] of current) {
            const held = copy.get(id)
            assert.deepEqual([held?.erased, held?.erasedAt], [lead.erased, lead.erasedAt], id)
            assert.equal(held?.content.case, lead.content.case)
            if (!lead.erased) assert.deepEqual(held?.stoppedAt, lead.stoppedAt)
          }
        }
        t.diagnostic(
          `${stored.length} leads, ${erased.size} erased, ${feed.length} entries, 3 consumers, ${count} streams, refusals: ${JSON.stringify([...others])}`,
        )
        assert.deepEqual(await listAll(client), stored)
      } finally {
        await Promise.all(replicas.map((replica) => replica.dispose()))
        for (const replica of ended.filter((old) => old !== first)) await replica.dispose()
        await first.dispose()
      }
    })
  })
}
