import { createHmac } from 'node:crypto'
import { clockToleranceMs } from '../lead/date-time.ts'
import { LeadError } from '../lead/error.ts'
import { createKey, type SecretKey } from '../lead/fingerprint.ts'
import { contactsOfLead, parseContact } from './contact.ts'
import { invalid, parseTime } from './parse-fields.ts'
import type { Contact, InboxStore, NewOptOut, OptOut, StoredLead } from './stored-lead.ts'

/** A contact channel, with the proto file's name in lowercase. */
export type Channel = 'phone' | 'text' | 'email'

/** A request not to be contacted. Times are whole milliseconds since the epoch. */
export interface OptOutInput {
  contact: string
  /** Empty: all channels. */
  channels: readonly Channel[]
  /** Undefined: now. */
  saidAtMs: number | undefined
  how: string
}

export interface OptOutsOptions {
  store: InboxStore
  /** `STOP_KEY`, the newest first. Empty: stops can be neither recorded nor recognized. */
  keys: readonly string[]
  /** Milliseconds since the epoch. */
  now: () => number
}

export type OptOuts = ReturnType<typeof createOptOuts>

/** Tracks who does not want to be contacted (docs/specification.md §8). */
export function createOptOuts({ store, keys: secrets, now }: OptOutsOptions) {
  const keys = secrets.map((secret) => createKey(secret, 'opt-out'))
  const ids = new Set(keys.map(({ id }) => id))

  const notKept =
    'Nothing was recorded, found or erased: the service runs without STOP_KEY. Keep the contact and the time, do not contact that person, and call again, with said_at, once it is set.'
  function requireKey(): SecretKey {
    const [newest] = keys
    if (newest !== undefined) return newest
    throw new LeadError('failed_precondition', notKept)
  }

  /** The contacts by their hash with each key, because older opt-outs were recorded with older keys. */
  const byHash = (contacts: readonly Contact[]) =>
    new Map(contacts.flatMap((contact) => keys.map((key) => [hashContact(key, contact), contact] as const)))

  /** The opt-outs of these contacts, the oldest first. */
  async function findOf(contacts: readonly Contact[]): Promise<OptOut[]> {
    return inOrder(await store.findOptOuts([...byHash(contacts).keys()]))
  }

  /** The same leads, each with the opt-out that applies to it. Without one, a lead keeps the `optedOutAt` that is stored. */
  async function withOptOuts(leads: readonly StoredLead[]): Promise<readonly StoredLead[]> {
    if (keys.length === 0 || leads.length === 0) return leads
    const hashed = leads.map((lead) => ({ lead, hashes: [...byHash(contactsOfLead(lead)).keys()] }))
    const optOuts = await store.findOptOuts(hashed.flatMap(({ hashes }) => hashes))
    const found = Map.groupBy(optOuts, ({ contactHash }) => contactHash)
    return hashed.map(({ lead, hashes }) => {
      const ofPerson = hashes.flatMap((hash) => found.get(hash) ?? [])
      const optOut = chooseOptOut(lead, ofPerson)
      return optOut === undefined ? lead : { ...lead, optedOutAt: optOut.recordedAt }
    })
  }

  return {
    /** What is wrong with `STOP_KEY`: stops in the store, or `more`, need a key that it lacks. Undefined: nothing. */
    async findKeyFault(more: readonly string[] = []): Promise<string | undefined> {
      const missing = [...new Set([...(await store.stopKeyIds()), ...more]).difference(ids)]
      if (missing.length === 0) return undefined
      return `STOP_KEY: expected every key with which stops were recorded, the newest first; it lacks the key with the id ${missing.join(' and the one with the id ')}`
    },
    /** Records an opt-out and returns its time. The person's earlier leads appear in the feed again. */
    async record(input: OptOutInput, caller: string | undefined): Promise<string> {
      const contact = parseContact(input.contact)
      const { how } = input
      const nowMs = now()
      const saidAt = parseSaidAt(input.saidAtMs ?? nowMs, nowMs)
      const recordedAt = new Date(nowMs).toISOString()
      const key = requireKey()
      const channels = [...new Set(input.channels)].sort()
      await store.recordOptOut({ ...identify(contact, key), channels, saidAt, how, recordedAt, caller: caller ?? null })
      return recordedAt
    },
    /** The opt-outs to record when a lead is erased with `optOut`. Throws `failed_precondition` without a key. */
    ofLead(lead: StoredLead, at: string, caller: string | undefined): (NewOptOut & { contact: Contact })[] {
      const optOut = { channels: [], saidAt: at, how: 'erasure', recordedAt: at, caller: caller ?? null }
      const key = requireKey()
      return contactsOfLead(lead).map((contact) => ({ ...identify(contact, key), ...optOut }))
    },
    /** The opt-outs of one person, the oldest first. Throws `failed_precondition` without a key. */
    async find(contact: string): Promise<OptOut[]> {
      requireKey()
      return await findOf([parseContact(contact)])
    },
    findOf,
    /** The opt-outs of a lead's number and address. An erased lead has lost them. */
    findOfLead: (lead: StoredLead) => findOf(contactsOfLead(lead)),
    byHash,
    withOptOuts,
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
 * The opt-out that applies to a lead: the first one after the lead was received, or if there is none, the last one before.
 * So a repeated opt-out changes nothing, except for leads that the person submitted in between.
 */
function chooseOptOut({ receivedAt }: StoredLead, optOuts: readonly OptOut[]): OptOut | undefined {
  const sorted = inOrder(optOuts)
  return sorted.find(({ recordedAt }) => recordedAt >= receivedAt) ?? sorted.at(-1)
}

const sortKey = ({ contactHash, recordedAt }: OptOut) => `${recordedAt} ${contactHash}`
/** The oldest first. Of one time, always in the same order. */
const inOrder = (optOuts: readonly OptOut[]) => [...optOuts].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))

function parseSaidAt(ms: number, nowMs: number): string {
  const time = parseTime('saidAt', ms)
  if (ms <= nowMs + clockToleranceMs) return time
  throw invalid('saidAt', 'must not be in the future', 'Send when the person said so, or leave it out for now.')
}
