import {
  type ConnectRouter,
  type ConnectRouterOptions,
  createConnectRouter,
  type ServiceImpl,
} from '@connectrpc/connect'
import { compressionGzip } from '@connectrpc/connect-node'
import { file_google_rpc_error_details } from '../gen/google/rpc/error_details_pb.ts'
import { Health as HealthService } from '../gen/grpc/health/v1/health_pb.ts'
import { ServerReflection } from '../gen/grpc/reflection/v1/reflection_pb.ts'
import { ServerReflection as ServerReflectionAlpha } from '../gen/grpc/reflection/v1alpha/reflection_pb.ts'
import { LeadInboxService } from '../gen/leadintake/v1/inbox_pb.ts'
import { LeadIntakeService } from '../gen/leadintake/v1/intake_pb.ts'
import { file_leadintake_v1_problem } from '../gen/leadintake/v1/problem_pb.ts'
import type { Submit } from '../lead/submit.ts'
import type { StartServerSpan } from '../trace.ts'
import type { CallSummary } from './call.ts'
import { createErrorInterceptor, type ErrorInterceptorOptions } from './errors.ts'
import type { Health } from './health.ts'
import { createIntakeService } from './intake.ts'
import { createNodeHandler, type NodeHandler } from './node-handler.ts'
import { createReflection } from './reflection.ts'

/** The services that health answers for, by their full names. */
export const leadServices: readonly string[] = [LeadIntakeService.typeName, LeadInboxService.typeName]

export interface RpcServices {
  submit: Submit
  /** What there is of the inbox; a method that is left out answers `unimplemented`. */
  inbox?: Partial<ServiceImpl<typeof LeadInboxService>>
  health: Health
  /** Ends streams when it fires: abort it with the ConnectError that their callers shall get. */
  shutdownSignal: AbortSignal
}

export interface RpcAppOptions extends RpcServices, ErrorInterceptorOptions {
  /** Hears of each call when it has ended. */
  onCall: (call: CallSummary) => void
  /** Left out: no traces. */
  trace?: StartServerSpan<CallSummary> | undefined
}

/** Registers the services of the internal listener (contract §8). */
export function createRpcRoutes({ submit, inbox = {}, health, shutdownSignal }: RpcServices) {
  const reflection = createReflection(
    [LeadIntakeService, LeadInboxService, HealthService],
    [file_leadintake_v1_problem, file_google_rpc_error_details],
  )
  return (router: ConnectRouter): void => {
    router.service(LeadIntakeService, createIntakeService(submit))
    // Only streams heed the signal; a submission ends by itself, and soon.
    router.service(LeadInboxService, inbox, { shutdownSignal })
    router.service(HealthService, health.service, { shutdownSignal })
    router.service(ServerReflection, reflection)
    router.service(ServerReflectionAlpha, reflection)
  }
}

/** What holds for every call of the internal listener. */
export function createRouterOptions(options: ErrorInterceptorOptions) {
  return {
    // A submission has at most this size (contract §1). It bounds what a compressed message may grow to as well.
    readMaxBytes: 20_000,
    // The longest time that a timer of Node can take; with a longer one it would fire at once.
    maxTimeoutMs: 2 ** 31 - 1,
    jsonOptions: { ignoreUnknownFields: false },
    // What gRPC clients know. Brotli as Node does it costs far more than it saves between neighbours.
    acceptCompression: [compressionGzip],
    // Receipts and problems are not worth it, a page of leads is.
    compressMinBytes: 8_192,
    interceptors: [createErrorInterceptor(options)],
  } satisfies ConnectRouterOptions
}

/** The handler of the internal listener: Connect, gRPC and gRPC-Web. */
export function createRpcHandler(options: RpcAppOptions): NodeHandler {
  const { onCall, trace, onError } = options
  const router = createConnectRouter(createRouterOptions(options))
  createRpcRoutes(options)(router)
  return createNodeHandler({ handlers: router.handlers, onCall, trace, onError })
}
