import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, post } from './http.ts'
import { quote } from './submissions.ts'
import { within } from './until.ts'

/** The answers that a load got. */
export interface Ledger {
  /** The ids of every 201, and of every 200 for a retried lead. */
  acknowledged: string[]
  /** How often each other status occurred, or `error` for a broken connection. */
  others: Map<string, number>
}

interface LoadOptions {
  /** Concurrent submissions. */
  connections?: number
  /** The maximum number of leads. */
  most?: number
  /** Leads sent per second. Absent: as many as are answered. */
  perSecond?: number
  /** Whether a lead with a 503 or no answer is retried at the next service until it is accepted. */
  resend?: boolean
}

/** A load that runs until it is stopped or has sent everything. */
export type Load = ReturnType<typeof startLoad>

/** The delay before a retry: shorter than callers are told, so that the service's recovery is measured. */
const resendMs = 500

let lead = 0

/** Submits leads with unique contents and client addresses, to the services in turn. `urls` may change meanwhile. */
export function startLoad(
  urls: readonly string[],
  { connections = 16, most = 20_000, perSecond, resend = false }: LoadOptions = {},
) {
  const ledger: Ledger = { acknowledged: [], others: new Map() }
  let sent = 0
  let over = false
  let nextMs = performance.now()

  function note(answer: Answer | undefined): void {
    const what = String(answer?.status ?? 'error')
    if (what === '201' || (resend && what === '200')) ledger.acknowledged.push(String(answer?.json.id))
    else ledger.others.set(what, (ledger.others.get(what) ?? 0) + 1)
  }

  async function turn(): Promise<void> {
    if (perSecond === undefined) return
    const nowMs = performance.now()
    const atMs = nextMs
    nextMs = Math.max(nextMs, nowMs) + 1000 / perSecond
    if (atMs > nowMs) await delay(atMs - nowMs)
  }

  async function worker(index: number): Promise<void> {
    while (!over && sent < most) {
      await turn()
      const number = ++sent
      const client = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
      const body = newLead()
      for (let attempt = 0; ; attempt++) {
        const answer = await submit(urls[(index + number + attempt) % urls.length] as string, client, body)
        note(answer)
        if (!resend || over || (answer && answer.status !== 503)) {
          // An unavailable service refuses at once. Do not loop without a pause.
          if (!answer) await delay(10)
          break
        }
        await delay(resendMs)
      }
    }
  }

  const done = Promise.all(Array.from({ length: connections }, (_, index) => worker(index))).then(() => ledger)
  return {
    ledger,
    done,
    /** Waits for pending requests. Never rejects, whatever the service does. */
    stop: () => {
      over = true
      return done
    },
  }
}

/** A lead with unique content. */
export function newLead(): string {
  return JSON.stringify({ ...quote, consentTimestamp: undefined, notes: `Load ${process.pid} ${++lead}` })
}

/** Submits a body for a client address. Resolves to nothing if the connection breaks, or after ten seconds. */
export function submit(url: string, client: string, body: string): Promise<Answer | undefined> {
  return within(10_000, 'an answer', post(url, body, { client })).catch(() => undefined)
}
