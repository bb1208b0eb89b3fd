import type { ServiceImpl } from '@connectrpc/connect'
import type { Callers } from '../../src/config/callers.ts'
import type { LeadInboxService } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { LeadError } from '../../src/lead/error.ts'
import type { SubmitInput, SubmitResult } from '../../src/lead/submit.ts'
import type { CallSummary } from '../../src/rpc/call.ts'
import { createHealth, type Health } from '../../src/rpc/health.ts'
import { createRpcListener, type RpcListener, type RpcTls } from '../../src/rpc/listener.ts'
import { createRpcHandler, leadServices, type RpcOptions } from '../../src/rpc/services.ts'

/** The default answer of the fake `submit`. */
export const receipt = {
  id: '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a10',
  formType: 'quote',
  receivedAt: '2026-11-21T09:30:00.250Z',
} as const

export const submitPath = '/leadintake.v1.LeadIntakeService/SubmitLead'

/** An internal listener on its own loopback port, and what it has reported. */
export interface RpcServer extends AsyncDisposable {
  port: number
  /** Without a trailing slash. */
  url: string
  listener: RpcListener
  health: Health
  shutdown: AbortController
  /** The calls of `submit`. */
  submitted: SubmitInput[]
  calls: CallSummary[]
  errors: { error: unknown; requestId: string }[]
  /** The codes of the refused TLS handshakes. */
  handshakes: string[]
  /** Resolves when the next call ends. */
  nextCall(): Promise<CallSummary>
}

export interface RpcServerOptions {
  submit?: (input: SubmitInput) => Promise<SubmitResult>
  inbox?: Partial<ServiceImpl<typeof LeadInboxService>>
  tls?: RpcTls
  callers?: Callers
  loopbackOnly?: boolean
  helloTimeoutMs?: number
  requestTimeoutMs?: number
  connectionsMax?: number
  callsMaxBytes?: number
  reconnectMs?: number
}

/** The services' dependencies, with a fake `submit` that accepts everything, and lists of what was reported. */
export function rpcOptions(serverOptions: RpcServerOptions = {}) {
  const {
    submit = async () => ({ outcome: 'created', receipt }),
    inbox,
    callers,
    loopbackOnly = false,
    callsMaxBytes,
  } = serverOptions
  const submitted: SubmitInput[] = []
  const calls: CallSummary[] = []
  const errors: RpcServer['errors'] = []
  const waiting: ((call: CallSummary) => void)[] = []
  const health = createHealth(leadServices)
  const shutdown = new AbortController()
  const options: RpcOptions = {
    submit: (input) => {
      submitted.push(input)
      return submit(input)
    },
    inbox: inbox ?? {},
    health,
    shutdownSignal: shutdown.signal,
    baseUrl: 'https://api.example.org',
    business: undefined,
    callers,
    loopbackOnly,
    callsMaxBytes,
    onCall: (call) => {
      calls.push(call)
      waiting.shift()?.(call)
    },
    onError: (error, requestId) => errors.push({ error, requestId }),
  }
  const nextCall = () => new Promise<CallSummary>((resolve) => waiting.push(resolve))
  return { options, submitted, calls, errors, health, shutdown, nextCall }
}

/** Starts an internal listener. Disposing of it destroys open connections. */
export async function startRpcServer(serverOptions: RpcServerOptions = {}): Promise<RpcServer> {
  const { options, ...reports } = rpcOptions(serverOptions)
  const { tls, helloTimeoutMs, requestTimeoutMs, connectionsMax, reconnectMs } = serverOptions
  const handshakes: string[] = []
  const listener = createRpcListener({
    handler: createRpcHandler(options),
    tls,
    ...(helloTimeoutMs !== undefined && { helloTimeoutMs }),
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
    ...(connectionsMax !== undefined && { connectionsMax }),
    ...(reconnectMs !== undefined && { reconnectMs }),
    onRefusedHandshake: (code) => handshakes.push(code),
  })
  const { port } = await listener.listen(0, '127.0.0.1')
  return {
    ...reports,
    handshakes,
    port,
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    listener,
    [Symbol.asyncDispose]: () => listener.close(0),
  }
}

/** A refusal with two invalid fields, as the domain throws it. */
export function twoFaults(): LeadError {
  return new LeadError('validation_failed', '2 fields need attention: phone, bedrooms.', {
    faults: [
      {
        pointer: '#/phone',
        code: 'invalid_phone',
        detail: 'must be a 10-digit U.S. number (+1)',
        hint: 'Send ten digits.',
      },
      { pointer: '#/bedrooms', code: 'required', detail: 'is required', hint: 'Ask the customer.' },
    ],
  })
}
