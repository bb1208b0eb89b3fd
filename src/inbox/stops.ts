import { createHmac } from 'node:crypto'
import { clockToleranceMs } from '../lead/date-time.ts'
import { LeadError } from '../lead/error.ts'
import { createKey, type SecretKey } from '../lead/fingerprint.ts'
import { contactsOfLead, parseContact } from './contact.ts'
import { invalid, parseTime } from './parse-fields.ts'
import type { Contact, InboxStore, NewStop, Stop, StoredLead } from './stored-lead.ts'

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

export interface StopsOptions {
  store: InboxStore
  /** `STOP_KEY`, the newest first. Empty: stops can be neither recorded nor recognized. */
  keys: readonly string[]
  /** Milliseconds since the epoch. */
  now: () => number
}

export type Stops = ReturnType<typeof createStops>

/** Tracks who does not want to be contacted (docs/specification.md §8). */
export function createStops({ store, keys: secrets, now }: StopsOptions) {
  const keys = secrets.map((secret) => createKey(secret, 'stop'))
  const ids = new Set(keys.map(({ id }) => id))

  const notKept =
    'Nothing was recorded, found or erased: the service runs without STOP_KEY. Keep the contact and the time, do not contact that person, and call again, with said_at, once it is set.'
  function requireKey(): SecretKey {
    const [newest] = keys
    if (newest !== undefined) return newest
    throw new LeadError('failed_precondition', notKept)
  }

  /** The contacts by their hash with each key, because older stops were recorded with older keys. */
  const byHash = (contacts: readonly Contact[]) =>
    new Map(contacts.flatMap((contact) => keys.map((key) => [hashContact(key, contact), contact] as const)))

  /** The stops of these contacts, the oldest first. */
  async function findOf(contacts: readonly Contact[]): Promise<Stop[]> {
    return inOrder(await store.findStops([...byHash(contacts).keys()]))
  }

  /** The same leads, each with the stop that applies to it. Without one, a lead keeps the `stoppedAt` that is stored. */
  async function withStops(leads: readonly StoredLead[]): Promise<readonly StoredLead[]> {
    if (keys.length === 0 || leads.length === 0) return leads
    const hashed = leads.map((lead) => ({ lead, hashes: [...byHash(contactsOfLead(lead)).keys()] }))
    const stops = await store.findStops(hashed.flatMap(({ hashes }) => hashes))
    const found = Map.groupBy(stops, ({ contactHash }) => contactHash)
    return hashed.map(({ lead, hashes }) => {
      const ofPerson = hashes.flatMap((hash) => found.get(hash) ?? [])
      const stop = chooseStop(lead, ofPerson)
      return stop === undefined ? lead : { ...lead, stoppedAt: stop.recordedAt }
    })
  }

  return {
    /** What is wrong with `STOP_KEY`: stops in the store, or `more`, need a key that it lacks. Undefined: nothing. */
    async findKeyFault(more: readonly string[] = []): Promise<string | undefined> {
      const missing = [...new Set([...(await store.stopKeyIds()), ...more]).difference(ids)]
      if (missing.length === 0) return undefined
      return `STOP_KEY: expected every key with which stops were recorded, the newest first; it lacks the key with the id ${missing.join(' and the one with the id ')}`
    },
    /** Records a stop and returns its time. The person's earlier leads appear in the feed again. */
    async record(input: StopInput, caller: string | undefined): Promise<string> {
      const contact = parseContact(input.contact)
      const { how } = input
      const nowMs = now()
      const saidAt = parseSaidAt(input.saidAtMs ?? nowMs, nowMs)
      const recordedAt = new Date(nowMs).toISOString()
      const key = requireKey()
      const channels = [...new Set(input.channels)].sort()
      await store.recordStop({ ...identify(contact, key), channels, saidAt, how, recordedAt, caller: caller ?? null })
      return recordedAt
    },
    /** The stops to record when a lead is erased with `stop`. Throws `failed_precondition` without a key. */
    ofLead(lead: StoredLead, at: string, caller: string | undefined): (NewStop & { contact: Contact })[] {
      const stop = { channels: [], saidAt: at, how: 'erasure', recordedAt: at, caller: caller ?? null }
      const key = requireKey()
      return contactsOfLead(lead).map((contact) => ({ ...identify(contact, key), ...stop }))
    },
    /** The stops of one person, the oldest first. Throws `failed_precondition` without a key. */
    async find(contact: string): Promise<Stop[]> {
      requireKey()
      return await findOf([parseContact(contact)])
    },
    findOf,
    /** The stops of a lead's number and address. An erased lead has lost them. */
    findOfLead: (lead: StoredLead) => findOf(contactsOfLead(lead)),
    byHash,
    withStops,
  }
}

/** HMAC-SHA256 as 64 hexadecimal digits. Contacts are stored only in the leads themselves. */
function hashContact({ secret }: SecretKey, { value }: Contact): string {
  return createHmac('sha256', secret).update(value).digest('hex')
}

function identify(contact: Contact, key: SecretKey) {
  return { contact, contactHash: hashContact(key, contact), keyId: key.id }
}

/**
 * The stop that applies to a lead: the first one after the lead was received, or if there is none, the last one before.
 * So a repeated stop changes nothing, except for leads that the person submitted in between.
 */
function chooseStop({ receivedAt }: StoredLead, stops: readonly Stop[]): Stop | undefined {
  const sorted = inOrder(stops)
  return sorted.find(({ recordedAt }) => recordedAt >= receivedAt) ?? sorted.at(-1)
}

const sortKey = ({ contactHash, recordedAt }: Stop) => `${recordedAt} ${contactHash}`
/** The oldest first. Of one time, always in the same order. */
const inOrder = (stops: readonly Stop[]) => [...stops].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))

function parseSaidAt(ms: number, nowMs: number): string {
  const time = parseTime('saidAt', ms)
  if (ms <= nowMs + clockToleranceMs) return time
  throw invalid('saidAt', 'must not be in the future', 'Send when the person said so, or leave it out for now.')
}
