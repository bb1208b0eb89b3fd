// The promise of the inbox: a consumer that stores the last cursor that it has handled sees every lead committed since,
// exactly in their order, whatever happens to connections and replicas.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Code, ConnectError } from '@connectrpc/connect'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { readContents } from '../support/database.ts'
import { post } from '../support/http.ts'
import { inboxClient, listAll } from '../support/inbox-client.ts'
import { startLoad } from '../support/load.ts'
import { type RunningService, runService } from '../support/process.ts'
import { quote } from '../support/submissions.ts'

/** One stream of a watcher: where it began, and what came. */
interface Stream {
  after: string | undefined
  ids: string[]
}

/** Follows the leads over ever new connections to one of the replicas, until `over` says that the lead seen was the last. */
async function watchWithInterruptions(replicas: readonly RunningService[], over: (id: string | undefined) => boolean) {
  const streams: Stream[] = []
  let cursor = ''
  let handled: string | undefined
  while (!over(handled)) {
    const replica = replicas[Math.floor(Math.random() * replicas.length)]
    const stream: Stream = { after: handled, ids: [] }
    streams.push(stream)
    const leave = new AbortController()
    const patience = setTimeout(() => leave.abort(), 200 + Math.random() * 1_000)
    const most = 1 + Math.random() * 400
    try {
      const { signal } = leave
      for await (const message of inboxClient(String(replica?.internalUrl)).watchLeads({ cursor }, { signal })) {
        stream.ids.push(String(message.lead?.id))
        // A consumer that falls over before it has stored the cursor gets this lead again.
        if (Math.random() < 0.01) break
        cursor = message.cursor
        handled = message.lead?.id
        if (stream.ids.length > most) break
      }
    } catch (error) {
      const { code } = ConnectError.from(error)
      assert.ok([Code.Canceled, Code.Unavailable, Code.Aborted, Code.Internal].includes(code), String(error))
      await delay(10)
    } finally {
      clearTimeout(patience)
    }
  }
  return streams
}

const stores = [
  { name: 'PostgreSQL', env: async () => ({ DATABASE_URL: await postgresUrl() }), skip: skipWithoutEngine },
  { name: 'SQLite', env: async () => ({}), skip: false },
] as const

for (const { name, env, skip } of stores) {
  suite(`the inbox with ${name}`, { skip }, () => {
    test('misses no lead and keeps their order, under load, while replicas and connections come and go', {
      timeout: 180_000,
    }, async (t) => {
      const first = await runService(await env())
      const start = () => runService({ DATABASE_URL: first.databaseUrl })
      const replicas = [first, await start(), await start()]
      const ended: RunningService[] = []
      try {
        const urls = replicas.map(({ url }) => url)
        const load = startLoad(urls, { connections: 12, most: 2_500, perSecond: 400, resend: true })
        let all: string[] | undefined
        const watchers = Array.from({ length: 4 }, () =>
          watchWithInterruptions(replicas, (id) => all !== undefined && id === all.at(-1)),
        )
        for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL', 'SIGTERM'] as const) {
          await delay(1_500)
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
        all = (await readContents(first.databaseUrl)).leads
        const place = new Map(all.map((id, index) => [id, index]))
        assert.deepEqual(
          acknowledged.filter((id) => !place.has(id)),
          [],
        )
        let count = 0
        for (const streams of await Promise.all(watchers)) {
          const seen = new Set<string>()
          for (const { after, ids } of streams) {
            const begin = after === undefined ? 0 : Number(place.get(after)) + 1
            assert.deepEqual(ids, all.slice(begin, begin + ids.length))
            for (const id of ids) seen.add(id)
            count++
          }
          assert.equal(seen.size, all.length)
        }
        t.diagnostic(`${all.length} leads, 4 watchers, ${count} streams, refusals: ${JSON.stringify([...others])}`)
        assert.deepEqual(await listAll(inboxClient(String(replicas[0]?.internalUrl))), all)
      } finally {
        await Promise.all(replicas.map((replica) => replica.dispose()))
        for (const replica of ended.filter((old) => old !== first)) await replica.dispose()
        await first.dispose()
      }
    })

    test('delivers a new lead within a second, wherever it was taken', { timeout: 60_000 }, async (t) => {
      const taking = await runService(await env())
      const watched = await runService({ DATABASE_URL: taking.databaseUrl })
      try {
        for (const [where, { internalUrl }] of [
          ['there', taking],
          ['on another replica', watched],
        ] as const) {
          const leave = new AbortController()
          const arrivals = new Map<string, PromiseWithResolvers<number>>()
          const arrival = (id: string) => {
            if (!arrivals.has(id)) arrivals.set(id, Promise.withResolvers())
            return arrivals.get(id) as PromiseWithResolvers<number>
          }
          const watching = (async () => {
            for await (const { lead } of inboxClient(internalUrl).watchLeads({}, { signal: leave.signal })) {
              arrival(String(lead?.id)).resolve(performance.now())
            }
          })()
          const delays: number[] = []
          for (let round = 0; round < 15; round++) {
            const { json } = await post(taking.url, { ...quote, notes: `${where} ${round}` })
            const acknowledgedMs = performance.now()
            delays.push((await arrival(String(json.id)).promise) - acknowledgedMs)
            await delay(50)
          }
          t.diagnostic(`taken ${where}: at most ${Math.max(...delays).toFixed(0)} ms after the 201`)
          assert.ok(Math.max(...delays) < 1_000, `${delays}`)
          leave.abort()
          await assert.rejects(watching)
        }
      } finally {
        await watched.dispose()
        await taking.dispose()
      }
    })

    test('ends streams with unavailable when it stops, and goes on after their cursors when it is back', async () => {
      const service = await runService(await env())
      let again: RunningService | undefined
      try {
        await post(service.url, quote)
        let cursor = ''
        const watching = (async () => {
          for await (const message of inboxClient(service.internalUrl).watchLeads({})) cursor = message.cursor
        })()
        while (cursor === '') await delay(10)
        service.signal('SIGTERM')
        await assert.rejects(watching, (error) => error instanceof ConnectError && error.code === Code.Unavailable)
        assert.equal(await service.exited, 0)

        again = await runService({ DATABASE_URL: service.databaseUrl })
        const { json } = await post(again.url, { ...quote, notes: 'Meanwhile' })
        for await (const { lead } of inboxClient(again.internalUrl).watchLeads({ cursor })) {
          assert.equal(lead?.id, json.id)
          break
        }
      } finally {
        await again?.dispose()
        await service.dispose()
      }
    })
  })
}
