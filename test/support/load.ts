import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { quote } from './submissions.ts'

/** The answers that a load got. */
export interface Ledger {
  /** The ids of every 201, and of every 200 for a retried lead. */
  acknowledged: string[]
  /** How often each other status occurred, or `error` for a broken connection. */
  others: Map<string, number>
}

export interface LoadOptions {
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
export interface Load {
  ledger: Ledger
  /** Waits for pending requests. Never rejects, whatever the service does. */
  stop(): Promise<Ledger>
  done: Promise<Ledger>
}

/** The result of one submission. No status: the connection broke. */
export interface Reply {
  status: number | undefined
  body: string
}

/**
 * The delay before a retry, in milliseconds. Shorter than callers are told, so that the service's recovery is measured.
 */
const resendMs = 500

let lead = 0

/**
 * Submits leads with unique contents and client addresses, to the services in turn. `urls` may change during the run.
 */
export function startLoad(
  urls: readonly string[],
  { connections = 16, most = 20_000, perSecond, resend = false }: LoadOptions = {},
): Load {
  const ledger: Ledger = { acknowledged: [], others: new Map() }
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let sent = 0
  let over = false
  let nextMs = performance.now()

  function note({ status, body }: Reply): void {
    if (status === 201 || (resend && status === 200)) {
      ledger.acknowledged.push((JSON.parse(body) as { id: string }).id)
    } else {
      const what = status === undefined ? 'error' : String(status)
      ledger.others.set(what, (ledger.others.get(what) ?? 0) + 1)
    }
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
        const url = urls[(index + number + attempt) % urls.length] as string
        const reply = await submit(agent, url, client, body)
        note(reply)
        if (!resend || over || (reply.status !== undefined && reply.status !== 503)) {
          // An unavailable service refuses at once. Do not loop without a pause.
          if (reply.status === undefined) await delay(10)
          break
        }
        await delay(resendMs)
      }
    }
  }

  const done = Promise.all(Array.from({ length: connections }, (_, index) => worker(index))).then(() => {
    agent.destroy()
    return ledger
  })
  return {
    ledger,
    done,
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

/** Submits a body for a client address, with a timeout of ten seconds. Never rejects. */
export function submit(agent: Agent, url: string, client: string, body: string): Promise<Reply> {
  return new Promise((resolve) => {
    const lost = () => resolve({ status: undefined, body: '' })
    const req = request(
      `${url}/api/v1/leads`,
      {
        method: 'POST',
        agent,
        timeout: 10_000,
        headers: {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
          'X-Forwarded-For': client,
        },
      },
      (res) => {
        let text = ''
        res.on('data', (chunk) => (text += chunk))
        res.on('end', () => resolve({ status: res.statusCode, body: text }))
        res.on('error', lost)
      },
    )
    req.on('timeout', () => req.destroy())
    req.on('error', lost)
    req.end(body)
  })
}
