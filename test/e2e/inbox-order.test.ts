// The inbox's promise: a consumer that upserts leads and stores the cursor has the same leads as the service, in commit
// order, whatever happens to connections and replicas.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import fc from 'fast-check'
import type { Lead } from '../../src/gen/leadintake/v1/lead_pb.ts'
import { postgresUrl, readContents, skipWithoutEngine } from '../support/backends.ts'
import { post } from '../support/http.ts'
import { startLoad } from '../support/load.ts'
import { inboxClient, type RunningService, runService, startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'

/** Codes of an interrupted stream. */
const cutOff = [Code.Canceled, Code.Unavailable, Code.Aborted, Code.Internal, Code.Unknown]

type Inbox = ReturnType<typeof inboxClient>
const oneOf = <T>(values: readonly T[]) => values[Math.floor(Math.random() * values.length)] as T
const anyOf = (replicas: readonly RunningService[]) => inboxClient(oneOf(replicas).internalUrl)

/** A table that is built from the feed alone: each lead is upserted, and the cursor kept. */
function createCopy() {
  const leads = new Map<string, Lead>()
  let cursor = ''
  return {
    leads,
    cursor: () => cursor,
    /** Reads until the stream has caught up, or else until a signal. */
    async follow(client: Inbox, signal?: AbortSignal) {
      const leave = new AbortController()
      const signals = signal ? [leave.signal, signal] : [leave.signal]
      try {
        for await (const message of client.watchLeads({ cursor }, { signal: AbortSignal.any(signals) })) {
          if (message.lead) leads.set(message.lead.id, message.lead)
          cursor = message.cursor
          if (!message.lead && !signal) break
        }
      } finally {
        // Leaving the loop does not end the call.
        leave.abort()
      }
      return leads
    },
  }
}

/** Follows the feed by one connection after another until `isOver` accepts a cursor. */
async function followWithInterruptions(replicas: readonly RunningService[], isOver: (cursor: string) => boolean) {
  const copy = createCopy()
  while (!isOver(copy.cursor())) {
    const follows = copy.follow(anyOf(replicas), AbortSignal.timeout(500 + Math.floor(Math.random() * 1_000)))
    await follows.catch((error) => assert.ok(cutOff.includes(ConnectError.from(error).code), String(error)))
    await delay(10)
  }
  return copy.leads
}

// One replica with SQLite: test/e2e/consumers.test.ts.
test("a consumer's copy equals the service's leads, in their order, while replicas and connections fail", {
  skip: skipWithoutEngine,
  timeout: 180_000,
}, async () => {
  const env = { DATABASE_URL: await postgresUrl() }
  await using all = new AsyncDisposableStack()
  const start = async () => all.use(await runService(env))
  const replicas = [await start(), await start()]
  const urls = replicas.map(({ url }) => url)
  const load = startLoad(urls, { connections: 8, most: 400, perSecond: 200 })
  let last: string | undefined
  const consumers = Array.from({ length: 3 }, () => followWithInterruptions(replicas, (cursor) => cursor === last))
  for (const [round, signal] of (['SIGTERM', 'SIGKILL'] as const).entries()) {
    await until('leads were acknowledged', () => load.ledger.acknowledged.length > 100 * (round + 1))
    const old = oneOf(replicas)
    old.signal(signal)
    await old.exited
    const fresh = await start()
    replicas[replicas.indexOf(old)] = fresh
    urls[urls.indexOf(old.url)] = fresh.url
  }
  const { acknowledged } = await load.done

  const fresh = createCopy()
  const current = await fresh.follow(anyOf(replicas))
  last = fresh.cursor()
  const stored = (await readContents(env.DATABASE_URL)).leads
  assert.deepEqual([...current.keys()], stored, 'each lead, in the order of the commits')
  for (const id of acknowledged) assert.ok(current.has(id), `${id} was acknowledged`)
  for (const copy of await Promise.all(consumers)) assert.deepEqual(copy, current)
})

/** What a replica is asked to do. `at`, `of` and the others choose a replica, a lead, a phone number and an address. */
type Step = { what: string; at: number; of: number; phone: number; email: number }
const step: fc.Arbitrary<Step> = fc.record({
  what: fc.constantFrom(...'submit submit submit opt-out-calls opt-out-mail erase erase-both repeat'.split(' ')),
  ...{ at: fc.nat(1), of: fc.nat(9), phone: fc.nat(2), email: fc.nat(2) },
})
/** Steps that are taken at once, perhaps after a visit of the consumer that comes now and then. */
const round = fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 3 }), visit: fc.boolean() })

/** All leads of a service, or of a person. */
async function listAll(client: Inbox, contact = ''): Promise<Map<string, Lead>> {
  const { leads, nextPageToken } = await client.listLeads({ contact, pageSize: 500 })
  assert.equal(nextPageToken, '')
  return new Map(leads.map((lead) => [lead.id, lead]))
}

const sorted = (leads: Map<string, Lead>) => [...leads.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
const msOf = (time: Timestamp | undefined) => timestampMs(time as Timestamp)

test("a feed's table equals the service's, and each opt-out is complete when it is answered, whatever the order", {
  skip: skipWithoutEngine,
  timeout: 120_000,
}, async () => {
  const DATABASE_URL = await postgresUrl()
  await using one = await startService({ DATABASE_URL })
  await using other = await startService({ DATABASE_URL })
  const clients = [one, other].map(({ internalUrl }) => inboxClient(internalUrl))
  const visiting = createCopy()
  let runs = 0
  const endMs = performance.now() + 8_000
  const property = fc.asyncProperty(fc.array(round, { minLength: 3, maxLength: 12 }), async (rounds) => {
    if (performance.now() > endMs) return
    const area = 201 + runs++
    const answered: { contact: string; ms: number }[] = []
    const leads: { id: string; body: Record<string, unknown> }[] = []

    async function submit(body: Record<string, unknown>, at: number) {
      const { status, json } = await post((at === 0 ? one : other).url, body)
      assert.ok(status === 201 || status === 200, `${status}`)
      if (status === 201) leads.push({ id: String(json.id), body })
    }

    /** Whoever asks afterward, at any replica, finds the opt-out at every lead. */
    async function optOut(contact: string, at: number) {
      const earlier = leads.filter(({ body }) => body.phone === contact || body.email === contact)
      const copy = createCopy()
      const [here, elsewhere] = [clients[at], clients[1 - at]] as [Inbox, Inbox]
      await copy.follow(here)
      const { recordedAt } = await here.recordOptOut({ contact })
      const [listed, copied] = await Promise.all([listAll(elsewhere, contact), copy.follow(elsewhere)])
      for (const lead of listed.values()) assert.ok(lead.optedOutAt, `${lead.id} is listed without its opt-out`)
      for (const { id } of earlier)
        assert.ok(copied.get(id)?.erased || copied.get(id)?.optedOutAt, `${id} is in the feed without its opt-out`)
      answered.push({ contact, ms: msOf(recordedAt) })
    }

    async function take({ what, at, of, ...chosen }: Step) {
      const [phone, email] = [`${area}555010${chosen.phone}`, `p${chosen.email}@${area}.example.com`]
      if (what === 'submit') return await submit({ ...quote, phone, email, notes: `${leads.length}` }, at)
      if (what === 'opt-out-calls') return await optOut(phone, at)
      if (what === 'opt-out-mail') return await optOut(email, at)
      const lead = leads[of % leads.length]
      if (lead === undefined) return
      if (what === 'repeat') return await submit(lead.body, at)
      const erased = (clients[at] as Inbox).eraseLead({ id: lead.id, optOut: what === 'erase-both' })
      // It was erased without an opt-out before.
      await erased.catch((error) => assert.match(String(error), /\[failed_precondition\]/))
    }

    for (const { steps, visit } of rounds) {
      if (visit) await visiting.follow(oneOf(clients))
      await Promise.all(steps.map(take))
    }
    const client = oneOf(clients)
    const stored = await listAll(client)
    for (const each of clients) assert.deepEqual(await listAll(each), stored)
    assert.deepEqual(sorted(await visiting.follow(client)), sorted(stored))
    const optOutsOf = async (contact: unknown) => {
      const { optOuts } = await client.findOptOuts({ contact: String(contact) })
      return optOuts.map(({ recordedAt }) => msOf(recordedAt))
    }
    for (const { contact, ms } of answered) assert.ok((await optOutsOf(contact)).includes(ms), 'an answered opt-out')
    for (const { id, body } of leads) {
      const lead = stored.get(id)
      assert.ok(lead, `${id} was acknowledged`)
      if (lead.erased) continue
      const own = (await Promise.all([body.phone, body.email].map(optOutsOf))).flat().sort((a, b) => a - b)
      const expected = own.find((ms) => ms >= msOf(lead.receivedAt)) ?? own.at(-1)
      assert.equal(lead.optedOutAt && msOf(lead.optedOutAt), expected)
    }
  })
  await fc.assert(property, { numRuns: 20, endOnFailure: true })
})
