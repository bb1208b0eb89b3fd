import { createHmac } from 'node:crypto'
import { clockToleranceMs } from '../lead/date-time.ts'
import { LeadError } from '../lead/error.ts'
import { leadRules } from '../lead/rules.ts'
import { contactsOf, parseContact } from './contact.ts'
import { invalid, readTime } from './input.ts'
import type { LeadReader, Stop, StopStore, StoredLead } from './stored-lead.ts'

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

const howMaxLength = 200

/** One line of plain text, like a contact message's topic. */
const howPattern = leadRules.support.find(({ name }) => name === 'helpWith')?.pattern ?? /^$/

/** Leads per read when searching for a person's earlier leads. */
const pageRows = 250

/** Stops processed in one pass over the leads. */
const passMax = 1_000

export interface StopsOptions {
  store: Pick<LeadReader, 'readAfter'> & StopStore
  /** `STOP_KEY`. Undefined: stops can be neither recorded nor recognized. */
  key: string | undefined
  /** Milliseconds since the epoch. */
  now: () => number
  /** Called when a background pass fails. It is retried later. */
  onError: (error: unknown) => void
}

/** Tracks who does not want to be contacted (docs/specification.md §8). */
export interface Stops {
  /** Records a stop and returns its time. Soon afterward, the person's earlier leads appear in the feed again. */
  record(input: StopInput, caller: string | undefined): Promise<string>
  /**
   * The stops to record when a lead is erased with `stop`, for all channels. Throws `failed_precondition` without a
   * key.
   */
  ofLead(lead: StoredLead, at: string, caller: string | undefined): Stop[]
  /** Returns the same leads, each with the stop that applies to it. */
  show(leads: readonly StoredLead[]): Promise<readonly StoredLead[]>
  /** Adds the earlier leads of all pending stops to the feed. Returns their number. */
  announce(signal: AbortSignal): Promise<number>
  /** Starts `announce` in the background. */
  announceSoon(): void
  /** Stops the background work. */
  close(): Promise<void>
}

export function createStops({ store, key, now, onError }: StopsOptions): Stops {
  const closing = new AbortController()
  let pass: Promise<void> | undefined
  let passAgain = false

  function demandKey(): string {
    if (key !== undefined) return key
    throw new LeadError('failed_precondition', 'No stop can be recorded: the service runs without STOP_KEY.')
  }

  function hashesOf(lead: StoredLead, withKey: string): string[] {
    return contactsOf(lead).map(({ value }) => hashContact(withKey, value))
  }

  /** The stops that apply to each lead that has any. */
  async function stopsOf(leads: readonly StoredLead[], withKey: string): Promise<Map<StoredLead, Stop[]>> {
    const hashes = new Map(leads.map((lead) => [lead, hashesOf(lead, withKey)]))
    const found = Map.groupBy(await store.findStops([...hashes.values()].flat()), ({ contactHash }) => contactHash)
    const stops = new Map<StoredLead, Stop[]>()
    for (const [lead, own] of hashes) {
      const concerning = own.flatMap((hash) => found.get(hash) ?? [])
      if (concerning.length > 0) stops.set(lead, concerning)
    }
    return stops
  }

  async function show(leads: readonly StoredLead[]): Promise<readonly StoredLead[]> {
    if (key === undefined || leads.length === 0) return leads
    const stops = await stopsOf(leads, key)
    if (stops.size === 0) return leads
    return leads.map((lead) => {
      const stop = concerning(lead, stops.get(lead) ?? [])
      return stop === undefined ? lead : { ...lead, stoppedAt: stop.recordedAt }
    })
  }

  /** Adds those leads of a page to the feed that have a stop in `open`. Returns their number. */
  async function announcePage(leads: readonly StoredLead[], open: Map<string, Stop>, withKey: string): Promise<number> {
    const hashes = new Set([...open.values()].map(({ contactHash }) => contactHash))
    const touched = leads.filter((lead) => hashesOf(lead, withKey).some((hash) => hashes.has(hash)))
    if (touched.length === 0) return 0
    const marks = new Map<Stop, string[]>()
    let count = 0
    for (const [lead, stops] of await stopsOf(touched, withKey)) {
      const stop = concerning(lead, stops)
      const pending = stop && open.get(nameOf(stop))
      if (pending === undefined) continue
      marks.set(pending, [...(marks.get(pending) ?? []), lead.id])
      count++
    }
    for (const [stop, ids] of marks) await store.markStopped(ids, stop)
    return count
  }

  async function announce(signal: AbortSignal): Promise<number> {
    let count = 0
    while (key !== undefined && !signal.aborted) {
      const open = new Map((await store.unmarkedStops(passMax)).map((stop) => [nameOf(stop), stop]))
      if (open.size === 0) break
      // Leads committed from now on are read together with these stops, so only earlier ones need a change in the feed.
      let after = 0
      for (;;) {
        const leads = await store.readAfter(after, pageRows)
        count += await announcePage(leads, open, key)
        if (leads.length < pageRows) break
        after = leads.at(-1)?.position ?? after
        if (signal.aborted) return count
      }
      for (const stop of open.values()) await store.stopMarked(stop)
    }
    return count
  }

  async function announceAll() {
    try {
      do {
        passAgain = false
        await announce(closing.signal)
      } while (passAgain && !closing.signal.aborted)
    } catch (error) {
      onError(error)
    } finally {
      pass = undefined
    }
  }

  function announceSoon() {
    passAgain = true
    if (!closing.signal.aborted) pass ??= announceAll()
  }

  return {
    async record(input, caller) {
      const { value } = parseContact(input.contact)
      const how = readHow(input.how)
      const nowMs = now()
      const saidAt = readSaidAt(input.saidAtMs ?? nowMs, nowMs)
      const recordedAt = new Date(nowMs).toISOString()
      const contactHash = hashContact(demandKey(), value)
      const channels = [...new Set(input.channels)].sort()
      await store.recordStop({ contactHash, channels, saidAt, how, recordedAt, caller: caller ?? null })
      announceSoon()
      return recordedAt
    },
    ofLead(lead, at, caller) {
      const stop = { channels: [], saidAt: at, how: 'erasure of a lead', recordedAt: at, caller: caller ?? null }
      return hashesOf(lead, demandKey()).map((contactHash) => ({ ...stop, contactHash }))
    },
    show,
    announce,
    announceSoon,
    async close() {
      closing.abort()
      await pass
    },
  }
}

/** HMAC-SHA256 as 64 hexadecimal digits. Contact details are stored only in the leads themselves. */
function hashContact(key: string, value: string): string {
  return createHmac('sha256', key).update(value).digest('hex')
}

/** A key that identifies a stop. */
function nameOf({ contactHash, recordedAt }: Stop): string {
  return `${contactHash} ${recordedAt}`
}

/**
 * The stop that applies to a lead: the first one recorded after it was received, or else the last one before. So a
 * repeated stop changes nothing, but a stop after the person has submitted again does.
 */
function concerning({ receivedAt }: StoredLead, stops: readonly Stop[]): Stop | undefined {
  const inOrder = [...stops].sort((a, b) => (nameInOrder(a) < nameInOrder(b) ? -1 : 1))
  return inOrder.find(({ recordedAt }) => recordedAt >= receivedAt) ?? inOrder.at(-1)
}

function nameInOrder({ contactHash, recordedAt }: Stop): string {
  return `${recordedAt} ${contactHash}`
}

function readHow(how: string): string {
  const text = how.trim()
  if ([...text].length > howMaxLength) {
    throw invalid('how', `must have at most ${howMaxLength} characters`, 'Say it shorter, such as "replied STOP".')
  }
  if (text.isWellFormed() && howPattern.test(text)) return text
  throw invalid('how', 'must not contain control characters', 'Send one line of plain text, such as "replied STOP".')
}

function readSaidAt(ms: number, nowMs: number): string {
  const time = readTime('saidAt', ms)
  if (ms <= nowMs + clockToleranceMs) return time
  throw invalid('saidAt', 'must not be in the future', 'Send when the person said so, or leave it out for now.')
}
