import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect } from 'node:tls'
import { createAuthority } from '../rpc/certificates.ts'
import { openRaw } from '../support/http.ts'
import { inboxClient } from '../support/inbox-client.ts'
import type { RunningService } from '../support/process.ts'
import { createPlan, type Plan, type Random } from './plan.ts'
import { createTlsPlan, type TlsPlan } from './tls-plan.ts'

/** The connection of a plan. */
export interface Attack {
  socket: Socket
  /** Breaks the connection without closing it properly. */
  cut(): void
}

/** One way to attack a service. */
export interface Front<P extends Plan = Plan> {
  /** Settings for the service. */
  env: Record<string, string>
  createPlan(random: Random): P
  /** Opens the connection for a plan. Resolves when it can be written to. */
  open(service: RunningService, plan: P): Promise<Attack>
  /** Rejects unless an honest caller is served, in addition to those of the public listener. */
  assertServed(service: RunningService): Promise<unknown>
  dispose(): void
}

function resettable(socket: Socket): Attack {
  return { socket, cut: () => socket.resetAndDestroy() }
}

/** All three listeners, in cleartext. */
export function createPlainFront(): Front {
  return {
    env: {},
    createPlan,
    async open(service, { listener }) {
      const wire = await openRaw({ public: service.url, internal: service.internalUrl, ops: service.opsUrl }[listener])
      return resettable(wire)
    },
    assertServed: (service) => inboxClient(service.internalUrl).listLeads({ pageSize: 1 }),
    dispose() {},
  }
}

/** The internal listener with certificates. */
export function createTlsFront(): Front<TlsPlan> {
  const authority = createAuthority('The business')
  const other = createAuthority('Somebody else')
  const callers = { known: authority.issue('crm'), stranger: other.issue('crm'), nobody: {} }
  const { cert, key } = authority.issue('127.0.0.1')
  const ca = authority.cert
  return {
    env: { INTERNAL_TLS_CERT: cert, INTERNAL_TLS_KEY: key, INTERNAL_TLS_CLIENT_CA: ca },
    createPlan: createTlsPlan,
    async open({ internalUrl }, { caller }) {
      const wire = await openRaw(internalUrl)
      if (caller === undefined) return resettable(wire)
      wire.on('error', () => {})
      const socket = connect({
        socket: wire,
        host: '127.0.0.1',
        ca,
        ALPNProtocols: ['h2', 'http/1.1'],
        ...callers[caller],
      })
      socket.on('error', () => {})
      // A refused connection is an expected result of the attack.
      await Promise.race([once(socket, 'secureConnect'), once(socket, 'close')]).catch(() => {})
      // Ending the connection below TLS sends Node's client into an endless loop.
      return { socket, cut: () => socket.destroy() }
    },
    assertServed: ({ internalUrl }) =>
      inboxClient(internalUrl.replace('http:', 'https:'), { ca, ...callers.known }).listLeads({ pageSize: 1 }),
    dispose() {
      authority.dispose()
      other.dispose()
    },
  }
}
