import { X509Certificate } from 'node:crypto'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { type Client, Code, ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { type Config, readConfigOrExit } from '../config/config.ts'
import { originOf } from '../config/internal.ts'
import { LeadInboxService } from '../gen/leadintake/v1/inbox_pb.ts'
import type { Lead } from '../gen/leadintake/v1/lead_pb.ts'
import { ProblemSchema } from '../gen/leadintake/v1/problem_pb.ts'
import { parseContact } from '../inbox/parse-fields.ts'
import { uuid } from '../inbox/stored-lead.ts'
import { toSafeLine } from './leads/formats.ts'

export type InboxClient = Client<typeof LeadInboxService>

/** Does the work with a client that has the service's own certificate. If a call fails, prints why and what to do. */
export async function withInbox(work: (inbox: InboxClient) => Promise<void>): Promise<void> {
  const listen = readConfigOrExit(process.env).internal
  const baseUrl = originOf(listen)
  try {
    const nodeOptions = listen.tls && tlsOptions(listen.tls)
    // Pings detect a dead connection, so a call needs no time limit of its own.
    const transport = createGrpcTransport({ baseUrl, nodeOptions, pingIntervalMs: 15_000 })
    await work(createClient(LeadInboxService, transport))
  } catch (error) {
    console.error(explainFailure(error, baseUrl))
    process.exitCode = 69
  }
}

/** Trusts a server with the service's own certificate under every host name. */
function tlsOptions({ cert, key, ca }: NonNullable<Config['internal']['tls']>) {
  const own = new X509Certificate(cert).fingerprint256
  const check = (host: string, peer: PeerCertificate) =>
    peer.fingerprint256 === own ? undefined : checkServerIdentity(host, peer)
  return { cert, key, ca: [ca, cert], allowPartialTrustChain: true, checkServerIdentity: check }
}

type Query = { contact: string; limit: number; since: Date | undefined; matches?: (lead: Lead) => boolean }

export async function* listLeads(inbox: InboxClient, query: Query, nowMs: number): AsyncGenerator<Lead> {
  const { since, limit, contact, matches = () => true } = query
  const leadsSince = async function* (from?: Date) {
    for await (const lead of allLeads(inbox, contact, from)) if (matches(lead)) yield lead
  }
  if (limit === Infinity) return yield* leadsSince(since)
  const newestSince = async (from?: Date) => (await Array.fromAsync(leadsSince(from))).slice(-limit)
  const firstMs = since?.getTime() ?? 0
  // The inbox lists the oldest leads first. So try those of one day, and while they are too few, of ten times as long.
  for (let span = 86_400_000; contact === '' && nowMs - span > firstMs; span *= 10) {
    const newest = await newestSince(new Date(nowMs - span))
    if (newest.length === limit) return yield* newest
  }
  yield* await newestSince(since)
}

async function* allLeads(inbox: InboxClient, contact: string, since?: Date): AsyncGenerator<Lead> {
  const receivedAfter = since && timestampFromDate(since)
  let pageToken = ''
  do {
    const page = await inbox.listLeads({ pageSize: 500, pageToken, receivedAfter, contact })
    yield* page.leads
    pageToken = page.nextPageToken
  } while (pageToken !== '')
}

export const leadsOf = (inbox: InboxClient, contact: string) => Array.fromAsync(allLeads(inbox, contact))

/** What the do-not-contact list has about each number and address of these leads, with that contact. */
export async function findOptOutsOf(inbox: InboxClient, leads: readonly Lead[]) {
  const contacts = new Set(leads.flatMap(({ content: { value } }) => [value?.phone ?? '', value?.email ?? '']))
  contacts.delete('')
  return await Promise.all(
    Array.from(contacts, async (contact) => ({ ...(await inbox.findOptOuts({ contact })), contact })),
  )
}

/** Those of the contacts that are not `known`, an id or a contact: they may be the person's too. */
export function otherContacts(answers: readonly { contact: string }[], known: string): string {
  const own = uuid.test(known) ? undefined : parseContact(known).value
  return answers.flatMap(({ contact }) => (contact.toLowerCase() === own ? [] : toSafeLine(contact))).join(', ')
}

export function explainFailure(failure: unknown, origin: string): string {
  const error = ConnectError.from(failure)
  const [problem] = error.findDetails(ProblemSchema)
  if (problem) {
    const faults = problem.errors.map(({ pointer, detail, hint }) => `${pointer.slice(2)} ${detail}. ${hint}`)
    return toSafeLine(`The service says: ${faults.join(' ') || `${problem.detail} ${problem.hint}`}`)
  }
  const { code: cause } = (error.cause ?? {}) as NodeJS.ErrnoException
  if (cause === 'ECONNREFUSED') {
    return `No service answers at ${origin}: start it (\`npm start\`), or set INTERNAL_HOST and INTERNAL_PORT to the service's values.`
  }
  return toSafeLine(`The inbox at ${origin} cannot be read: ${cause ?? Code[error.code]}, ${error.rawMessage}`)
}
