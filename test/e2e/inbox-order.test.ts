// The inbox's promise: a consumer that upserts leads and stores the cursor has the same leads as the service, in commit
// order, whatever happens to connections and replicas.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError } from '@connectrpc/connect'
import fc from 'fast-check'
import type { Lead } from '../../src/gen/leadintake/v1/lead_pb.ts'
import { postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { readContents } from '../support/database.ts'
import { post } from '../support/http.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { startLoad } from '../support/load.ts'
import { type RunningService, runService } from '../support/process.ts'
import { startService } from '../support/service.ts'
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
test("a consumer's copy equals the service's leads, in their order, while replicas and connections fail", {
  skip: skipWithoutEngine,
  timeout: 180_000,
}, async () => {
  const env = { DATABASE_URL: await postgresUrl() }
  await using all = new AsyncDisposableStack()
  const start = async () => all.use(await runService(env))
  const replicas = [await start(), await start()]
  const urls = replicas.map(({ url }) => url)
  const load = startLoad(urls, { connections: 8, most: 400, perSecond: 200, resend: true })
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

  const feed = await readFeed(anyOf(replicas))
  last = feed.at(-1)?.cursor
  const current = new Map(feed.map(({ lead }) => [lead.id, lead]))
  const stored = (await readContents(env.DATABASE_URL)).leads
  assert.deepEqual(
    feed.map(({ lead }) => lead.id),
    stored,
    'each lead, in the order of the commits',
  )
  for (const id of acknowledged) assert.ok(current.has(id), `${id} was acknowledged`)

  for (const copy of await Promise.all(consumers)) assert.deepEqual(copy, current)
})

/** What a replica of the property below is asked to do. `at` and `of` choose a replica and a lead. */
type Step =
  | { what: 'submit'; phone: number; email: number; at: number }
  | { what: 'repeat'; of: number; at: number }
  | { what: 'erase'; of: number; optOut: boolean; at: number }
  | { what: 'opt-out'; contact: number; at: number }

const at = fc.nat(1)
const some = fc.nat(2)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('submit'), phone: some, email: some, at }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('repeat'), of: fc.nat(9), at }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('erase'), of: fc.nat(9), optOut: fc.boolean(), at }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('opt-out'), contact: fc.nat(5), at }) },
)
const changes = ['visit', 'visit', 'visit', 'restart'] as const

/** Everything once: what the random sequences reach only after a while. */
const example: [(Step[] | (typeof changes)[number])[], number] = [
  [
    [{ what: 'submit', phone: 0, email: 0, at: 0 }],
    'visit',
    [{ what: 'opt-out', contact: 0, at: 1 }],
    [{ what: 'submit', phone: 0, email: 1, at: 1 }],
    'visit',
    [{ what: 'opt-out', contact: 4, at: 0 }],
    [{ what: 'submit', phone: 1, email: 1, at: 0 }],
    'restart',
    [{ what: 'erase', of: 1, optOut: true, at: 1 }],
  ],
  0,
]

/** Steps that are taken at once, or one of the other events. */
const round = fc.oneof(
  { weight: 6, arbitrary: fc.array(step, { minLength: 1, maxLength: 3 }) },
  { weight: 3, arbitrary: fc.constantFrom(...changes) },
)

/** All leads of a service, or of a person. */
async function listAll(client: Inbox, contact = ''): Promise<Map<string, Lead>> {
  const leads: Lead[] = []
  let pageToken = ''
  do {
    const page = await client.listLeads({ contact, pageSize: 500, pageToken })
    leads.push(...page.leads)
    pageToken = page.nextPageToken
  } while (pageToken !== '')
  return new Map(leads.map((lead) => [lead.id, lead]))
}

const sorted = (leads: Map<string, Lead>) => [...leads.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
const msOf = (time: Timestamp | undefined) => (time ? timestampMs(time) : undefined)

test("a feed's table equals the service's, and each opt-out is complete when it is answered, whatever the order", {
  skip: skipWithoutEngine,
  timeout: 120_000,
}, async () => {
  const DATABASE_URL = await postgresUrl()
  const start = async () => {
    const service = await startService({ DATABASE_URL })
    return { ...service, client: inboxClient(service.internalUrl) }
  }
  const replicas = [await start(), await start()]
  const of = (index: number) => replicas[index] as (typeof replicas)[number]
  const restart = async (index: number) => {
    await of(index).stop()
    replicas[index] = await start()
  }

  // A consumer that comes now and then.
  const visiting = createCopy()

  let turn = 0
  async function change(what: (typeof changes)[number]) {
    turn = 1 - turn
    if (what === 'visit') await visiting.follow(of(turn).client)
    else await restart(turn)
  }

  let runs = 0
  const endMs = performance.now() + 8_000
  const property = fc.asyncProperty(
    fc.array(round, { minLength: 3, maxLength: 12 }),
    fc.nat(1),
    async (rounds, last) => {
      if (performance.now() > endMs) return
      const area = 201 + runs++
      const phones = [0, 1, 2].map((n) => `${area}555010${n}`)
      const emails = [0, 1, 2].map((n) => `p${n}@${area}.example.com`)
      const contacts = [...phones, ...emails]
      const leads: { id: string; body: typeof quote }[] = []
      const answered = new Map<string, number[]>()

      async function submit(body: typeof quote, index: number) {
        const { status, json } = await post(of(index).url, body)
        assert.ok(status === 201 || status === 200, `${status}`)
        if (status === 201) leads.push({ id: String(json.id), body })
      }

      async function optOut(contact: string, index: number) {
        const earlier = leads.filter(({ body }) => body.phone === contact || body.email === contact)
        const copy = createCopy()
        await copy.follow(of(index).client)
        const { recordedAt } = await of(index).client.recordOptOut({ contact })
        const elsewhere = of(1 - index).client
        const [listed, copied] = await Promise.all([listAll(elsewhere, contact), copy.follow(elsewhere)])
        for (const lead of listed.values()) assert.ok(lead.optedOutAt, `${lead.id} is listed without its opt-out`)
        for (const { id } of earlier) {
          const lead = copied.get(id)
          assert.ok(lead?.erased || lead?.optedOutAt, `${id} is in the feed without its opt-out`)
        }
        answered.set(contact, [...(answered.get(contact) ?? []), Number(msOf(recordedAt))])
      }

      async function take(taken: Step) {
        if (taken.what === 'submit') {
          const body = { ...quote, phone: phones[taken.phone], email: emails[taken.email], notes: `${leads.length}` }
          return await submit(body, taken.at)
        }
        if (taken.what === 'opt-out') return await optOut(contacts[taken.contact] as string, taken.at)
        const lead = leads[taken.of % leads.length]
        if (lead === undefined) return
        if (taken.what === 'repeat') return await submit(lead.body, taken.at)
        const erased = of(taken.at).client.eraseLead({ id: lead.id, optOut: taken.optOut })
        // It was erased without an opt-out before.
        await erased.catch((error) => assert.match(String(error), /\[failed_precondition\]/))
      }

      for (const steps of rounds) await (typeof steps === 'string' ? change(steps) : Promise.all(steps.map(take)))

      const { client } = of(last)
      const stored = await listAll(client)
      assert.deepEqual(await listAll(of(1 - last).client), stored)
      assert.deepEqual(sorted(await visiting.follow(client)), sorted(stored))
      const optOuts = new Map<string, number[]>()
      for (const contact of contacts) {
        const found = await client.findOptOuts({ contact })
        const times = found.optOuts.map(({ recordedAt }) => Number(msOf(recordedAt)))
        optOuts.set(contact, times)
        for (const ms of answered.get(contact) ?? []) assert.ok(times.includes(ms), 'an answered opt-out')
      }
      for (const { id, body } of leads) {
        const lead = stored.get(id)
        assert.ok(lead, `${id} was acknowledged`)
        if (lead.erased) continue
        const own = [body.phone, body.email].flatMap((contact) => optOuts.get(String(contact)) ?? [])
        own.sort((a, b) => a - b)
        const receivedMs = Number(msOf(lead.receivedAt))
        assert.equal(msOf(lead.optedOutAt), own.find((ms) => ms >= receivedMs) ?? own.at(-1))
      }
    },
  )
  try {
    await fc.assert(property, { numRuns: 20, endOnFailure: true, examples: [example] })
  } finally {
    await Promise.all(replicas.map((replica) => replica.stop()))
  }
})
