import { setTimeout as delay } from 'node:timers/promises'
import { Code, ConnectError } from '@connectrpc/connect'
import type { Lead } from '../gen/leadintake/v1/lead_pb.ts'
import type { Inbox } from './inbox.ts'

/** The service says something every 15 seconds: after three times that in silence, a stream is dead. */
export const silenceMs = 45_000
const pauseMs = 1_000

/** Ended streams that a later one can make good, as the service was stopped or the connection was lost. */
const passing: readonly Code[] = [Code.Unavailable, Code.DeadlineExceeded, Code.Canceled, Code.Aborted, Code.Internal]

export interface FollowOptions {
  cursor: string
  /** What has been shown already may come once more before the stream has caught up. */
  shown: readonly Lead[]
  /** Called with what ended a stream, before the next one. */
  interrupted(error: ConnectError): void
  silenceMs?: number
}

/** Yields each change behind the cursor, over as many streams as it takes. Throws what no later stream makes good. */
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

/** One stream, ended when it has been silent for too long. */
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
