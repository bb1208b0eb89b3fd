import { createHmac } from 'node:crypto'
import { clockToleranceMs } from '../lead/date-time.ts'
import { LeadError } from '../lead/error.ts'
import { createKey, type SecretKey } from '../lead/fingerprint.ts'
import { contactsOf, parseContact } from './contact.ts'
import { invalid, parseTime } from './input.ts'
import type { InboxStore, Stop, StoredLead } from './stored-lead.ts'

/** A contact channel, with the proto file's name in lowercase. */
export type Channel = 'phone' | 'text' | 'email'

/** A request not to be contacted. Times are whole milliseconds since the epoch. */
export interface StopInput {
  contact: string
  /** Empty: all channels. */
  channels: readonly Channel[]
  /** Undefined: now. */
  saidAtMs: number | undefined
  how: string
}

/** Leads per read when searching for a person's earlier leads. */
const pageRows = 250

/** Stops processed in one pass over the leads. */
const passMax = 1_000

export interface StopsOptions {
  store: InboxStore
  /** `STOP_KEY`, the newest first. Empty: stops can be neither recorded nor recognized. */
  keys: readonly string[]
  /** Milliseconds since the epoch. */
  now: () => number
  /** Called when a background pass fails. It is retried later. */
  onError: (error: unknown) => void
}

export type Stops = ReturnType<typeof createStops>

/** Tracks who does not want to be contacted (docs/specification.md §8). */
export function createStops({ store, keys: secrets, now, onError }: StopsOptions) {
  const keys = secrets.map((secret) => createKey(secret, 'stop'))
  const ids = new Set(keys.map(({ id }) => id))
  const closing = new AbortController()
  let passes: Promise<unknown> = Promise.resolve()

  function requireKey(): SecretKey {
    const [newest] = keys
    if (newest !== undefined) return newest
    throw new LeadError('failed_precondition', 'No stop can be recorded or found: the service runs without STOP_KEY.')
  }

  /** The hashes of a lead's contacts with each key, because older stops were recorded with older keys. */
  function hashesOf(lead: StoredLead): string[] {
    return contactsOf(lead).flatMap((contact) => keys.map((key) => hashContact(key, contact)))
  }

  /** The stop that applies to each lead. Leads of persons without stops are left out. */
  async function findApplicable(leads: readonly StoredLead[]): Promise<Map<StoredLead, Stop>> {
    const hashes = new Map(leads.map((lead) => [lead, hashesOf(lead)]))
    const found = Map.groupBy(await store.findStops([...hashes.values()].flat()), ({ contactHash }) => contactHash)
    const applicable = new Map<StoredLead, Stop>()
    for (const [lead, own] of hashes) {
      const ofPerson = own.flatMap((hash) => found.get(hash) ?? [])
      const stop = chooseStop(lead, ofPerson)
      if (stop !== undefined) applicable.set(lead, stop)
    }
    return applicable
  }

  /** The stops of these contacts, the oldest first. */
  async function findOf(contacts: readonly string[]): Promise<Stop[]> {
    const hashes = contacts.flatMap((contact) => keys.map((key) => hashContact(key, contact)))
    return inOrder(await store.findStops(hashes))
  }

  /** Returns the same leads, each with the stop that applies to it. */
  async function show(leads: readonly StoredLead[]): Promise<readonly StoredLead[]> {
    if (keys.length === 0 || leads.length === 0) return leads
    const stops = await findApplicable(leads)
    return leads.map((lead) => {
      const stop = stops.get(lead)
      return stop === undefined ? lead : { ...lead, stoppedAt: stop.recordedAt }
    })
  }

  /** Adds to the feed the leads of a page whose stop is in `pending`. Returns their number. */
  async function announcePage(leads: readonly StoredLead[], pending: ReadonlySet<string>): Promise<number> {
    const stops = [...(await findApplicable(leads))].filter(([, stop]) => pending.has(nameOf(stop)))
    for (const [stop, marked] of Map.groupBy(stops, ([, stop]) => stop)) {
      const leadIds = marked.map(([lead]) => lead.id)
      await store.markStopped(leadIds, stop)
    }
    return stops.length
  }

  /** Adds the earlier leads of all pending stops to the feed. Returns their number. */
  async function announce(signal: AbortSignal): Promise<number> {
    let count = 0
    while (keys.length > 0 && !signal.aborted) {
      // During a change of `STOP_KEY`, stops with a new key are left to the replicas that have it.
      const own = (await store.unmarkedStops(passMax)).filter(({ keyId }) => ids.has(keyId))
      const pending = new Set(own.map(nameOf))
      if (own.length === 0) break
      // Leads that are committed from now on show the stop when they are read. Only earlier leads need an entry.
      let after = 0
      for (;;) {
        const leads = await store.readLeads({ from: after }, pageRows)
        count += await announcePage(leads, pending)
        if (leads.length < pageRows) break
        after = leads.at(-1)?.position ?? after
        if (signal.aborted) return count
      }
      for (const stop of own) await store.stopMarked(stop)
    }
    return count
  }

  /**
   * Starts a pass of `announce` in the background, after the passes before it. A pass is short if all stops are
   * announced.
   */
  function announceSoon() {
    passes = passes.then(() => announce(closing.signal)).catch(onError)
  }

  return {
    /** What is wrong with `STOP_KEY`, in one line: stops in the store need a key that it lacks. Undefined: nothing. */
    async findKeyFault(): Promise<string | undefined> {
      const missing = (await store.stopKeyIds()).filter((id) => !ids.has(id))
      if (missing.length === 0) return undefined
      return `STOP_KEY: expected every key with which stops in this database were recorded, the newest first; it lacks the key with the id ${missing.join(' and the one with the id ')}`
    },
    /** Records a stop and returns its time. Soon afterward, the person's earlier leads appear in the feed again. */
    async record(input: StopInput, caller: string | undefined): Promise<string> {
      const contact = parseContact(input.contact)
      const { how } = input
      const nowMs = now()
      const saidAt = parseSaidAt(input.saidAtMs ?? nowMs, nowMs)
      const recordedAt = new Date(nowMs).toISOString()
      const key = requireKey()
      const channels = [...new Set(input.channels)].sort()
      await store.recordStop({ ...identify(contact, key), channels, saidAt, how, recordedAt, caller: caller ?? null })
      announceSoon()
      return recordedAt
    },
    /**
     * The stops to record when a lead is erased with `stop`, for all channels. Throws `failed_precondition` without a
     * key.
     */
    ofLead(lead: StoredLead, at: string, caller: string | undefined): Stop[] {
      const stop = { channels: [], saidAt: at, how: 'erasure', recordedAt: at, caller: caller ?? null }
      const key = requireKey()
      return contactsOf(lead).map((contact) => ({ ...identify(contact, key), ...stop }))
    },
    /** The stops of one person, the oldest first. Throws `failed_precondition` without a key. */
    async find(contact: string): Promise<Stop[]> {
      requireKey()
      return await findOf([parseContact(contact)])
    },
    /** The stops of a lead's number and address. An erased lead has lost them. */
    findOfLead: (lead: StoredLead) => findOf(contactsOf(lead)),
    show,
    announce,
    announceSoon,
    /** Stops the background work. */
    async close() {
      closing.abort()
      await passes
    },
  }
}

/** HMAC-SHA256 as 64 hexadecimal digits. Contact details are stored only in the leads themselves. */
function hashContact({ secret }: SecretKey, contact: string): string {
  return createHmac('sha256', secret).update(contact).digest('hex')
}

function identify(contact: string, key: SecretKey): Pick<Stop, 'contactHash' | 'keyId'> {
  return { contactHash: hashContact(key, contact), keyId: key.id }
}

/** Identifies a stop. The names of later stops sort after those of earlier ones. */
function nameOf({ contactHash, recordedAt }: Stop): string {
  return `${recordedAt} ${contactHash}`
}

/**
 * The stop that applies to a lead: the first one after the lead was received, or if there is none, the last one before.
 * So a repeated stop changes nothing, except for leads that the person submitted in between.
 */
function chooseStop({ receivedAt }: StoredLead, stops: readonly Stop[]): Stop | undefined {
  const sorted = inOrder(stops)
  return sorted.find(({ recordedAt }) => recordedAt >= receivedAt) ?? sorted.at(-1)
}

const inOrder = (stops: readonly Stop[]) => [...stops].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))

function parseSaidAt(ms: number, nowMs: number): string {
  const time = parseTime('saidAt', ms)
  if (ms <= nowMs + clockToleranceMs) return time
  throw invalid('saidAt', 'must not be in the future', 'Send when the person said so, or leave it out for now.')
}
