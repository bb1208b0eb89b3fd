import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import timers from 'node:timers/promises'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { type Client, Code, ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { type InternalListen, type InternalTls, originOf } from '../../config/internal.ts'
import { LeadInboxService } from '../../gen/leadintake/v1/inbox_pb.ts'
import type { Lead } from '../../gen/leadintake/v1/lead_pb.ts'
import { ProblemSchema } from '../../gen/leadintake/v1/problem_pb.ts'
import { toPlainLine } from './formats.ts'
import type { LeadsOptions } from './options.ts'

export type InboxClient = Client<typeof LeadInboxService>

/** A gRPC client for the inbox of the service on this machine. */
export function createInboxClient(
  listen: InternalListen,
  certificate: Pick<LeadsOptions, 'cert' | 'key'> = { cert: undefined, key: undefined },
): InboxClient {
  const nodeOptions = listen.tls && tlsOptions(listen.tls, certificate)
  // Pings detect a dead connection, so a stream needs no time limit of its own.
  const transport = createGrpcTransport({ baseUrl: originOf(listen), nodeOptions, pingIntervalMs: 15_000 })
  return createClient(LeadInboxService, transport)
}

/** A server with the service's own certificate is the service, whatever host name was used. */
function tlsOptions(tls: InternalTls, { cert, key }: Pick<LeadsOptions, 'cert' | 'key'>) {
  const own = new X509Certificate(tls.cert).fingerprint256
  return {
    cert: cert ? readFileSync(cert) : tls.cert,
    key: key ? readFileSync(key) : tls.key,
    ca: [tls.ca, tls.cert],
    allowPartialTrustChain: true,
    checkServerIdentity: (host: string, peer: PeerCertificate) =>
      peer.fingerprint256 === own ? undefined : checkServerIdentity(host, peer),
  }
}

const hourMs = 3_600_000

/** Times to search back, one after the other: the inbox lists the oldest leads first, and the newest are wanted. */
const windowsMs = [hourMs, 24 * hourMs, 30 * 24 * hourMs, 365 * 24 * hourMs]

type Query = Pick<LeadsOptions, 'since' | 'limit' | 'contact'>

/** Yields the requested leads, the newest last. Returns the cursor for following changes. */
export async function* listLeads(inbox: InboxClient, query: Query, nowMs: number): AsyncGenerator<Lead, string> {
  const { since, limit, contact } = query
  if (limit === Infinity) return yield* pages(inbox, query)
  const windows = contact === '' ? windowsMs.map((ms) => new Date(nowMs - ms)) : []
  let found = { newest: [] as Lead[], cursor: '' }
  for (const from of [...windows.filter((each) => since === undefined || each > since), since]) {
    found = await readNewest(inbox, { ...query, since: from })
    if (found.newest.length >= limit) break
  }
  yield* found.newest
  return found.cursor
}

/** The last leads of a query. Keeps at most `limit` leads and one page in memory. */
async function readNewest(inbox: InboxClient, query: Query): Promise<{ newest: Lead[]; cursor: string }> {
  const newest: Lead[] = []
  const leads = pages(inbox, query)
  for (;;) {
    const { value, done } = await leads.next()
    if (done) return { newest, cursor: value }
    newest.push(value)
    if (newest.length > query.limit) newest.shift()
  }
}

async function* pages(inbox: InboxClient, { since, contact }: Query): AsyncGenerator<Lead, string> {
  const receivedAfter = since && timestampFromDate(since)
  let cursor: string | undefined
  let pageToken = ''
  do {
    const page = await inbox.listLeads({ pageSize: 500, pageToken, receivedAfter, contact })
    cursor ??= page.cursor
    yield* page.leads
    pageToken = page.nextPageToken
  } while (pageToken !== '')
  return cursor
}

/** Codes after which a new stream can continue: the service was stopped or the connection was lost. */
const recoverable: readonly Code[] = [
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.Canceled,
  Code.Aborted,
  Code.Internal,
]

/**
 * Yields the lead of each entry after the cursor, reconnecting as often as needed. Throws errors that reconnecting cannot
 * fix. Calls `interrupted` with the error that ended a stream, before the next one starts.
 */
export async function* followLeads(
  inbox: InboxClient,
  from: string,
  interrupted: (error: ConnectError) => void,
): AsyncGenerator<Lead, never> {
  let cursor = from
  for (;;) {
    try {
      for await (const { lead, cursor: next } of inbox.watchLeads({ cursor, consumer: 'npm-run-leads' })) {
        if (lead) yield lead
        cursor = next
      }
    } catch (reason) {
      const error = ConnectError.from(reason)
      if (!recoverable.includes(error.code)) throw error
      interrupted(error)
    }
    await timers.setTimeout(1_000)
  }
}

/** Explains in one line why a call failed and what to do. */
export function explainFailure(failure: unknown, origin: string): string {
  const error = ConnectError.from(failure)
  const [problem] = error.findDetails(ProblemSchema)
  if (problem) return toPlainLine(`The service says: ${problem.detail} ${problem.hint}`)
  const { code: cause } = (error.cause ?? {}) as NodeJS.ErrnoException
  if (cause === 'ECONNREFUSED') {
    return `No service answers at ${origin}: start it (\`npm start\`), or set INTERNAL_HOST and INTERNAL_PORT to the service's values.`
  }
  return toPlainLine(`The inbox at ${origin} cannot be read: ${cause ?? Code[error.code]}, ${error.rawMessage}`)
}
