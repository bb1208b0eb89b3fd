import { setTimeout as delay } from 'node:timers/promises'
import { timestampFromMs, timestampMs } from '@bufbuild/protobuf/wkt'
import type { SendMailOptions } from 'nodemailer'
import type { Lead } from '../../src/gen/leadintake/v1/lead_pb.ts'
import { describeChange, describeLead, describeRefused, hasOptedOut } from './message.ts'
import type { Settings } from './settings.ts'
import type { Kind, State } from './state.ts'

export interface Sender {
  settings: Pick<Settings, 'from' | 'to' | 'rulesUrl'>
  state: State
  mail: (message: SendMailOptions) => Promise<unknown>
  /** Aborted when the program has to stop. */
  stopping: AbortSignal
  log: (text: string) => void
  /** Delays between attempts: the first, then doubled each time up to the last. */
  waitMs?: { first: number; last: number }
}

/**
 * Sends the message that a lead needs, and records that when the mail server has accepted it. After a crash between the
 * two, it sends the same message again, with the same Message-ID. It never sends an erased lead, even after the
 * service's database was restored.
 */
export async function sendAbout(lead: Lead, sender: Sender): Promise<void> {
  const { settings, state } = sender
  const isDone = (kind: Kind) => state.isDone(lead.id, kind)
  keepOptOut(lead, sender)
  const optOut: Kind = `opt-out${lead.optedOutChannels.join('')}`
  if (isDone('erasure')) {
    if (!lead.erased) sender.log(`erase again: ${lead.id}`)
    return
  }
  if (lead.erased) {
    if (isDone('lead')) await sendUntilTaken(lead, describeChange(lead, settings, 'erasure'), sender)
    state.setDone(lead.id, ['erasure'])
  } else if (!isDone('lead')) {
    await sendUntilTaken(lead, describeLead(lead, settings), sender, describeRefused(lead, settings))
    state.setDone(lead.id, hasOptedOut(lead) ? ['lead', optOut] : ['lead'])
  } else if (hasOptedOut(lead) && !isDone(optOut)) {
    await sendUntilTaken(lead, describeChange(lead, settings, optOut), sender)
    state.setDone(lead.id, [optOut])
  }
}

/** Keeps the later time of an opt-out, and reports one that a restore of the service's database has undone. */
function keepOptOut(lead: Lead, { state, log }: Sender): void {
  const receivedMs = lead.optedOutAt ? timestampMs(lead.optedOutAt) : 0
  const knownMs = state.keepOptOut(lead.id, receivedMs)
  if (knownMs <= receivedMs) return
  if (!lead.erased) log(`opt-out again: ${lead.id} ${new Date(knownMs).toISOString()}`)
  lead.optedOutAt = timestampFromMs(knownMs)
  lead.optedOutChannels = []
}

/** Retries until the mail server accepts the message, because a skipped lead would be lost. */
async function sendUntilTaken(
  { receivedAt }: Lead,
  message: SendMailOptions,
  sender: Sender,
  instead = message,
): Promise<void> {
  const startMs = Date.now()
  const { first, last } = sender.waitMs ?? { first: 1_000, last: 60_000 }
  let next = message
  for (let waitMs = first; ; waitMs = Math.min(waitMs * 2, last)) {
    sender.stopping.throwIfAborted()
    try {
      await sender.mail(next)
      sender.log(`sent ${next.messageId}`)
      return
    } catch (error) {
      sender.state.setFailing(startMs, receivedAt ? timestampMs(receivedAt) : startMs)
      // Logs codes only: the mail server's text may quote the message.
      const { code, command, responseCode = 0 } = error as { code?: string; command?: string; responseCode?: number }
      sender.log(`not sent ${next.messageId}: ${code ?? 'failed'} ${command ?? ''} ${responseCode || ''}`.trimEnd())
      // Rejected permanently because of its content. It must not block the messages after it.
      if (command === 'DATA' && responseCode >= 500 && next !== instead) {
        next = instead
        continue
      }
    }
    await delay(waitMs, undefined, { signal: sender.stopping })
  }
}
