import { setTimeout as delay } from 'node:timers/promises'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Lead } from '../gen/leadintake/v1/lead_pb.ts'
import type { Inbox } from './inbox.ts'

/** The service sends a message at least every 15 seconds. After three times that without one, the stream is dead. */
export const silenceMs = 45_000
const pauseMs = 1_000

/** Codes after which a new stream can continue: the service was stopped or the connection was lost. */
const passing: readonly Code[] = [Code.Unavailable, Code.DeadlineExceeded, Code.Canceled, Code.Aborted, Code.Internal]

export interface FollowOptions {
  cursor: string
  /** Leads that are already on the screen. The stream may repeat them before it has caught up. */
  shown: readonly Lead[]
  /** Called with the error that ended a stream, before the next one starts. */
  interrupted(error: ConnectError): void
  silenceMs?: number
}

/** Yields each change after the cursor, reconnecting as often as needed. Throws errors that reconnecting cannot fix. */
export async function* followLeads(inbox: Inbox, options: FollowOptions): AsyncGenerator<Lead, never> {
  const known = new Set(options.shown.map(stateOf))
  let { cursor } = options
  for (;;) {
    try {
      for await (const { lead, cursor: next, caughtUp } of untilSilent(inbox, cursor, options.silenceMs ?? silenceMs)) {
        if (lead && !known.has(stateOf(lead))) yield lead
        cursor = next
        if (caughtUp) known.clear()
      }
    } catch (reason) {
      const error = ConnectError.from(reason)
      if (!passing.includes(error.code)) throw error
      options.interrupted(error)
    }
    await delay(pauseMs)
  }
}

/** One stream. Ends it when it has been silent for too long. */
async function* untilSilent(inbox: Inbox, cursor: string, limitMs: number) {
  const dead = new AbortController()
  const timer = setTimeout(() => dead.abort(), limitMs)
  try {
    for await (const message of inbox.watchLeads({ cursor, consumer: 'npm-run-leads' }, { signal: dead.signal })) {
      timer.refresh()
      yield message
    }
  } finally {
    clearTimeout(timer)
  }
}

function stateOf({ id, erased, stoppedAt }: Lead): string {
  return `${id} ${erased} ${stoppedAt?.seconds}.${stoppedAt?.nanos}`
}
