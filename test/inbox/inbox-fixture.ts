// The inbox's use cases on a SQLite file. Each fixture is closed after its test.
import { DatabaseSync } from 'node:sqlite'
import { afterEach } from 'node:test'
import { createErase } from '../../src/consent/erasure.ts'
import { createOptOuts } from '../../src/consent/opt-outs.ts'
import type { WatchInput, WatchMessage } from '../../src/inbox/follow.ts'
import { createInbox, type ListInput } from '../../src/inbox/inbox.ts'
import type { InboxStore, StoredLead } from '../../src/inbox/stored-lead.ts'
import { openStore } from '../../src/store/open.ts'
import { newFile } from '../store/backends.ts'
import { type LeadOptions, makeLead, noon, storedLead } from '../store/leads.ts'

const unset = { kind: undefined, startTime: undefined }
const everything: ListInput = { ...unset, pageSize: 0, pageToken: '', contact: '' }
const fromTheFirst: WatchInput = { ...unset, cursor: '', startNow: false, consumer: '' }

export const byRequest = { optOut: false, caller: undefined }
export const { signal: forever } = new AbortController()

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})

/** With leads at the positions from 1 to `count`, each received as many milliseconds after noon. */
export async function setUpInbox(count = 0, heartbeatMs?: number) {
  const file = newFile('leads.db')
  const { add: addLead, inbox: reader, close } = await openStore({ url: `sqlite:${file}` })
  const facts = {
    nowMs: noon,
    listeners: 0,
    /** What reading the head rejects with. */
    failure: undefined as Error | undefined,
  }
  const store: InboxStore = {
    ...reader,
    head: () => (facts.failure ? Promise.reject(facts.failure) : reader.head()),
    onStored(listener) {
      facts.listeners++
      const end = reader.onStored(listener)
      return () => {
        facts.listeners--
        end()
      }
    },
  }
  const now = () => facts.nowMs
  const inbox = createInbox(store, now, heartbeatMs)
  const optOuts = createOptOuts(store, now)
  const watch = (input: Partial<WatchInput> = {}, signal = forever) =>
    inbox.watch({ ...fromTheFirst, ...input }, signal)

  /** Stores leads at the next positions, without a window for duplicates. */
  async function add(number = 1, options: LeadOptions = {}, to = addLead): Promise<StoredLead[]> {
    const first = (await reader.head()) + 1
    const leads = Array.from({ length: number }, (_, index) =>
      makeLead({ atMs: noon + first + index, contentHours: 0, ...options }),
    )
    await Promise.all(leads.map((lead) => to(lead)))
    return leads.map((lead, index) => storedLead(lead, { position: first + index }))
  }
  opened.push(close)

  return {
    facts,
    store,
    inbox,
    optOuts,
    erase: createErase(store, inbox.get, optOuts, now),
    add,
    leads: await add(count),
    watch,
    list: (input: Partial<ListInput> = {}) => inbox.list({ ...everything, ...input }),
    /** Messages until the stream has caught up, and the last cursor. */
    async drain(input: Partial<WatchInput> = {}): Promise<{ messages: WatchMessage[]; cursor: string }> {
      const messages: WatchMessage[] = []
      for await (const message of await watch(input)) {
        if (message.lead === undefined) return { messages, cursor: message.cursor }
        messages.push(message)
      }
      throw new Error('the stream ended')
    },
    /** A lead of this person. */
    async addOf(person: { phone?: string; email?: string }, options: LeadOptions = {}): Promise<StoredLead> {
      return (await add(1, { ...options, content: person }))[0] as StoredLead
    },
    /** Stores a lead as another process does, which sends this one no signal. */
    async addElsewhere(): Promise<void> {
      const other = await openStore({ url: `sqlite:${file}` })
      await add(1, {}, other.add)
      await other.close()
    },
    /** Makes the database what it was at a position, like a restored backup. */
    restore(position: number): void {
      using database = new DatabaseSync(file, { timeout: 5_000 })
      for (const { name } of database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).all())
        database.exec(`DROP TRIGGER ${name}`)
      for (const table of ['leads', 'changes']) database.exec(`DELETE FROM ${table} WHERE position > ${position}`)
      database.exec(`UPDATE leads SET personal = '{"content":{}}' WHERE id NOT IN (SELECT lead_id FROM changes)`)
      database.exec(`UPDATE sqlite_sequence SET seq = ${position}`)
    },
  }
}
