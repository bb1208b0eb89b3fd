import assert from 'node:assert/strict'
import { ConnectError } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node'
import { ProblemSchema } from '../../src/gen/leadintake/v1/problem_pb.ts'
import { createSubmit, type SubmitInput } from '../../src/lead/submit.ts'
import { createInternalListener, type InternalListenerOptions } from '../../src/net/internal-listener.ts'
import { listen } from '../../src/net/listen.ts'
import { createRpcHandler, type RpcOptions } from '../../src/rpc/handler.ts'
import { createHealthService } from '../../src/rpc/health.ts'
import type { CallSummary } from '../../src/rpc/request.ts'
import { consent, createTexts } from '../support/evidence.ts'

/** The default answer of the fake `submit`. */
export const receipt = {
  id: '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a10',
  formType: 'quote',
  receivedAt: '2026-11-21T09:30:00.250Z',
} as const

export const submitPath = '/leadintake.v1.LeadIntakeService/SubmitLead'

/** A client for each version of HTTP. `nodeOptions` are those of TLS. */
export const transports = {
  gRPC: (baseUrl: string, nodeOptions?: object) => createGrpcTransport({ baseUrl, nodeOptions }),
  'Connect over HTTP/1.1': (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: '1.1' }),
}

/** The error of a call, or of the first message of a stream, and its problem. */
export async function refusalOf(call: Promise<unknown> | AsyncIterable<unknown>) {
  const first = Symbol.asyncIterator in call ? call[Symbol.asyncIterator]().next() : call
  const error = await first.then(
    () => assert.fail('was not refused'),
    (reason) => reason,
  )
  assert.ok(error instanceof ConnectError, `${error}`)
  return { error, problem: error.findDetails(ProblemSchema)[0] }
}

export type RpcServerOptions = Partial<RpcOptions & InternalListenerOptions>

/** The real `submit`, with a store that accepts everything. */
export function checkingSubmit() {
  const nothing = async () => undefined
  const store = { findWording: nothing, add: async () => ({ kind: 'created' }) as const }
  const { wording } = consent
  return createSubmit({ store, now: Date.now, acceptTestLeads: true, duplicateWindowHours: 24, wording, createTexts })
}

/**
 * Starts an internal listener, by default with a fake `submit` that accepts everything, and lists what it reports.
 * Disposing of it destroys open connections.
 */
export async function startRpcServer(options: RpcServerOptions = {}) {
  const { submit = async () => ({ outcome: 'created', receipt }), tls } = options
  const submitted: SubmitInput[] = []
  const calls: CallSummary[] = []
  const errors: { error: unknown; requestId: string }[] = []
  /** The codes of the refused TLS handshakes. */
  const handshakes: string[] = []
  const waiting: ((call: CallSummary) => void)[] = []
  const health = createHealthService()
  const shutdown = new AbortController()
  const handler = createRpcHandler({
    ...{ inbox: {}, callers: undefined, loopbackOnly: true, baseUrl: 'https://api.example.org', business: undefined },
    ...options,
    submit(input) {
      submitted.push(input)
      return submit(input)
    },
    health,
    shutdownSignal: shutdown.signal,
    onCall(call) {
      calls.push(call)
      waiting.shift()?.(call)
    },
    onError: (error, requestId) => errors.push({ error, requestId }),
  })
  const listener = createInternalListener({
    ...options,
    handler,
    onRefusedHandshake: (code) => handshakes.push(code),
  })
  const { port } = await listen(listener.server, 0, '127.0.0.1')
  return {
    ...{ submitted, calls, errors, handshakes, health, shutdown, port, listener },
    /** Resolves when the next call ends. */
    nextCall: () => new Promise<CallSummary>((resolve) => waiting.push(resolve)),
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => listener.close(0),
  }
}

/** Handlers that wait until the test releases them. */
export function held() {
  const entered = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const wait = () => {
    entered.resolve()
    return released.promise
  }
  const handlers: RpcServerOptions = {
    submit: () => wait().then(() => ({ outcome: 'created', receipt })),
    inbox: { eraseLead: () => wait().then(() => ({ erasedAt: { seconds: 1n } })) },
  }
  return { entered: entered.promise, release: released.resolve, handlers }
}
