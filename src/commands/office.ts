import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { originOf, readInternal } from '../config/internal.ts'
import { readOrExit } from '../config/read-or-exit.ts'
import type { Lead } from '../gen/leadintake/v1/lead_pb.ts'
import { toPlainLine } from './leads/formats.ts'
import { createInboxClient, explainFailure, type InboxClient, listLeads } from './leads/inbox-client.ts'

// What the commands of the office have in common: clients of the service that runs on this machine. Exit codes of
// sysexits.h: 64 for an invalid command line, 69 when the service does not answer or refuses.

/** The client certificate to use instead of the service's own. */
export const certificateFlags = { cert: { type: 'string' }, key: { type: 'string' } } as const

/** Does the work with the inbox. If a call fails, says why and what to do. */
export async function withInbox(
  certificate: { cert?: string | undefined; key?: string | undefined },
  work: (inbox: InboxClient) => Promise<void>,
): Promise<void> {
  const listen = readOrExit(readInternal, process.env)
  try {
    await work(createInboxClient(listen, { cert: certificate.cert, key: certificate.key }))
  } catch (error) {
    console.error(explainFailure(error, originOf(listen)))
    process.exitCode = 69
  }
}

/** Writes, and waits if the reader is slower. */
export async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}

/** All leads of a number or an address. */
export async function leadsOf(inbox: InboxClient, contact: string): Promise<Lead[]> {
  const leads: Lead[] = []
  for await (const lead of listLeads(inbox, { contact, since: undefined, limit: Infinity }, Date.now()))
    leads.push(lead)
  return leads
}

/** The other numbers and addresses that these leads have. */
export function otherContacts(leads: readonly Lead[], known: string): string[] {
  const plain = (text: string) => text.toLowerCase().replace(/[^\w@.+-]/g, '')
  const all = leads.flatMap(({ content: { value } }) => [value?.phone ?? '', value?.email ?? ''])
  const isKnown = (text: string) => plain(text) === plain(known) || plain(known).replace(/\D/g, '').endsWith(text)
  return [...new Set(all.map(toPlainLine))].filter((text) => text !== '' && !isKnown(text))
}

/** A text as one word of a POSIX shell: what strangers sent is printed in commands to copy. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** Asks on the terminal, or reads the answer from a pipe. Only `y` and `yes` agree. */
export async function agrees(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await Promise.race([lines.question(question), once(lines, 'close').then(() => '')])
  lines.close()
  return /^y(es)?$/i.test(String(answer).trim())
}
