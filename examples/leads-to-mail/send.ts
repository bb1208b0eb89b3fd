import { setTimeout as delay } from 'node:timers/promises'
import type { SendMailOptions } from 'nodemailer'
import type { Lead } from '../../src/gen/leadintake/v1/lead_pb.ts'
import { describeChange, describeLead, describeRefused, isStopped } from './message.ts'
import type { Settings } from './settings.ts'
import type { Kind, State } from './state.ts'

export interface Sender {
  settings: Pick<Settings, 'from' | 'to'>
  state: State
  mail: (message: SendMailOptions) => Promise<unknown>
  /** Aborted when the program is to end. */
  stopping: AbortSignal
  log: (text: string) => void
  /** The waits after failures: the first, doubled up to the last. */
  waitMs?: { first: number; last: number }
}

/**
 * Sends what must be said about a lead, and notes it once the mail server has taken it. After a crash between the two, the
 * same message goes out again, with the same Message-ID. A lead that is erased is never sent, not even by a service whose
 * database was restored.
 */
export async function sendAbout(lead: Lead, sender: Sender): Promise<void> {
  const { settings, state } = sender
  const isDone = (kind: Kind) => state.isDone(lead.id, kind)
  if (isDone('erasure')) return
  if (lead.erased) {
    if (isDone('lead')) await sendUntilTaken(describeChange(lead, settings, 'erasure'), sender)
    state.setDone(lead.id, ['erasure'])
  } else if (!isDone('lead')) {
    await sendUntilTaken(describeLead(lead, settings), sender, describeRefused(lead, settings))
    state.setDone(lead.id, isStopped(lead) ? ['lead', 'stop'] : ['lead'])
  } else if (isStopped(lead) && !isDone('stop')) {
    await sendUntilTaken(describeChange(lead, settings, 'stop'), sender)
    state.setDone(lead.id, ['stop'])
  }
}

/** Tries again until the mail server takes the message: a lead that is skipped is a lead that is lost. */
async function sendUntilTaken(message: SendMailOptions, sender: Sender, instead = message): Promise<void> {
  const { first, last } = sender.waitMs ?? { first: 1_000, last: 60_000 }
  let next = message
  for (let waitMs = first; ; waitMs = Math.min(waitMs * 2, last)) {
    sender.stopping.throwIfAborted()
    try {
      await sender.mail(next)
      sender.log(`sent ${next.messageId}`)
      return
    } catch (error) {
      // Codes only: what a mail server says may quote the message.
      const { code, command, responseCode = 0 } = error as { code?: string; command?: string; responseCode?: number }
      sender.log(`not sent ${next.messageId}: ${code ?? 'failed'} ${command ?? ''} ${responseCode || ''}`.trimEnd())
      // Refused for good for what is in it: this one must not hold up those behind it.
      if (command === 'DATA' && responseCode >= 500 && next !== instead) {
        next = instead
        continue
      }
    }
    await delay(waitMs, undefined, { signal: sender.stopping })
  }
}
