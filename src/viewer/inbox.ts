import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import { type Client, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import type { InternalListen, InternalTls } from '../config/internal.ts'
import { LeadInboxService } from '../gen/leadintake/v1/inbox_pb.ts'

/** Pings detect a dead connection, so that no further call is sent on it. */
const pingIntervalMs = 15_000

export type Inbox = Client<typeof LeadInboxService>

/** Paths of a client certificate and its key. */
export interface ClientCertificate {
  cert: string | undefined
  key: string | undefined
}

/** The URL of the internal listener for clients on this machine. */
export function originOf({ host, port, tls }: InternalListen): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http${tls ? 's' : ''}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** A gRPC client for the inbox of the service on this machine. */
export function createInbox(listen: InternalListen, certificate: ClientCertificate): Inbox {
  const nodeOptions = listen.tls && tlsOptions(listen.tls, certificate)
  return createClient(LeadInboxService, createGrpcTransport({ baseUrl: originOf(listen), nodeOptions, pingIntervalMs }))
}

/** A server with the service's own certificate is the service, whatever host name was used. */
function tlsOptions(tls: InternalTls, { cert, key }: ClientCertificate) {
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
