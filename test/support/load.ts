import { Agent, request } from 'node:http'
import { quote } from './submissions.ts'

/** What a load was told: which leads were acknowledged, and what else was answered. */
export interface Ledger {
  /** The ids of every 201. */
  acknowledged: string[]
  /** How often each other status, or `error` for a connection that broke, was the answer. */
  others: Map<string, number>
}

let lead = 0

/**
 * Keeps `connections` submissions in flight, each a lead and a client of its own, until `until` resolves or `most` have
 * been sent. Bounded in count, and in time by its caller.
 */
export async function load(
  urls: readonly string[],
  until: Promise<unknown>,
  { connections = 16, most = 20_000 } = {},
): Promise<Ledger> {
  const ledger: Ledger = { acknowledged: [], others: new Map() }
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  let sent = 0
  let over = false
  void until.then(() => {
    over = true
  })
  const note = (what: string) => ledger.others.set(what, (ledger.others.get(what) ?? 0) + 1)
  const worker = async (index: number) => {
    while (!over && sent < most) {
      const number = ++sent
      const url = urls[(index + number) % urls.length] as string
      const { status, body } = await submit(agent, url, number)
      if (status === 201) ledger.acknowledged.push((JSON.parse(body) as { id: string }).id)
      else {
        note(status === undefined ? 'error' : String(status))
        // A service that is away refuses at once; do not spin.
        if (status === undefined) await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, index) => worker(index)))
  agent.destroy()
  return ledger
}

function submit(agent: Agent, url: string, number: number): Promise<{ status: number | undefined; body: string }> {
  const body = JSON.stringify({ ...quote, consentTimestamp: undefined, notes: `Load ${process.pid} ${++lead}` })
  return new Promise((resolve) => {
    const req = request(
      `${url}/api/v1/leads`,
      {
        method: 'POST',
        agent,
        timeout: 10_000,
        headers: {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
          'X-Forwarded-For': `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`,
        },
      },
      (res) => {
        let text = ''
        res.on('data', (chunk) => (text += chunk))
        res.on('end', () => resolve({ status: res.statusCode, body: text }))
        res.on('error', () => resolve({ status: undefined, body: '' }))
      },
    )
    req.on('timeout', () => req.destroy())
    req.on('error', () => resolve({ status: undefined, body: '' }))
    req.end(body)
  })
}
