import { setTimeout as delay } from 'node:timers/promises'
import { post } from './http.ts'
import { quote } from './submissions.ts'
import { until, within } from './until.ts'

/** The delay before a retry: shorter than callers are told, so that the service's recovery is measured. */
const resendMs = 500

let lead = 0

/**
 * Submits leads with unique contents and client addresses, to the services in turn, until it is stopped or has sent all.
 * A lead with a 503 or no answer is sent again to the next service until it is accepted. `urls` may change meanwhile.
 * `perSecond` is the highest rate.
 */
export function startLoad(
  urls: readonly string[],
  { connections = 16, most = 20_000, perSecond = Number.POSITIVE_INFINITY } = {},
) {
  const ledger = {
    /** The ids of accepted leads. */
    acknowledged: [] as string[],
    /** How often each other status occurred, or `error` for a broken connection. */
    others: new Map<string, number>(),
  }
  let sent = 0
  let over = false

  async function worker(index: number): Promise<void> {
    while (!over && sent < most) {
      const number = ++sent
      const client = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
      const body = newLead()
      for (let attempt = 0; ; attempt++) {
        const url = urls[(index + number + attempt) % urls.length] as string
        const answer = await within(10_000, 'an answer', post(url, body, { client })).catch(() => undefined)
        const what = String(answer?.status ?? 'error')
        if (what === '201' || what === '200') ledger.acknowledged.push(String(answer?.json.id))
        else ledger.others.set(what, (ledger.others.get(what) ?? 0) + 1)
        if (over || (answer && answer.status !== 503)) break
        await delay(resendMs)
      }
      await delay((connections * 1_000) / perSecond)
    }
  }

  const done = Promise.all(Array.from({ length: connections }, (_, index) => worker(index))).then(() => ledger)
  return {
    ledger,
    done,
    /** Waits until this many more leads are taken. */
    proceeds(more = 20) {
      const wanted = ledger.acknowledged.length + more
      return until('leads are taken', () => ledger.acknowledged.length >= wanted)
    },
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
