import type { DescService } from '@bufbuild/protobuf'
import {
  Code,
  ConnectError,
  type ConnectRouter,
  type ConnectRouterOptions,
  createConnectRouter,
  type MethodImpl,
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
import { timeoutMaxMs } from './deadline.ts'
import { createErrorInterceptor, type ErrorInterceptorOptions } from './errors.ts'
import { createGate, type GateOptions } from './gate.ts'
import { createGrpcHandler, type StreamHandler } from './grpc-call.ts'
import type { Health } from './health.ts'
import { createIntakeService, createSubmitLead } from './intake.ts'
import { messageMaxBytes } from './message-size.ts'
import { createNodeHandler, type NodeHandler } from './node-handler.ts'
import { type CallReports, createOpenCall } from './open-call.ts'
import { createReflection } from './reflection.ts'

/** Full names of the services that the health service reports on. */
export const leadServices: readonly string[] = [LeadIntakeService.typeName, LeadInboxService.typeName]

/** Full service name and method name of every method of those services. */
export const leadMethods: readonly (readonly [service: string, method: string])[] = [
  LeadIntakeService,
  LeadInboxService,
].flatMap(({ typeName, methods }) => methods.map(({ name }) => [typeName, name] as const))

export interface RpcServices {
  submit: Submit
  /** The inbox methods to serve. A missing method answers `unimplemented`. */
  inbox?: Partial<ServiceImpl<typeof LeadInboxService>>
  health: Health
  /** Ends streams when it is aborted. The abort reason is the error that their callers get. */
  shutdownSignal: AbortSignal
}

export interface RpcAppOptions extends RpcServices, RouterOptions, CallReports {
  /** How many bytes all callers together may leave unread. Absent: the limit in the specification. */
  unsentMaxBytes?: number | undefined
  /** How long a request may take to arrive, in milliseconds. Absent: 30 seconds. */
  requestTimeoutMs?: number | undefined
  /** Whether only local host names are accepted: on a loopback address without certificates. */
  loopbackOnly: boolean
}

type RouterOptions = ErrorInterceptorOptions & GateOptions

/** Registers the services of the internal listener (docs/specification.md §8). */
export function createRpcRoutes({ submit, inbox = {}, health, shutdownSignal }: RpcServices) {
  const reflection = createReflection(
    [LeadIntakeService, LeadInboxService, HealthService],
    [file_leadintake_v1_problem, file_google_rpc_error_details],
  )
  return (router: ConnectRouter): void => {
    router.service(LeadIntakeService, createIntakeService(submit))
    registerStoppable(router, LeadInboxService, inbox, shutdownSignal)
    registerStoppable(router, HealthService, health.service, shutdownSignal)
    registerStoppable(router, ServerReflection, reflection, shutdownSignal)
    registerStoppable(router, ServerReflectionAlpha, reflection, shutdownSignal)
  }
}

/** Registers a service whose streams end at shutdown. Unary calls are left to finish; they are short. */
function registerStoppable<S extends DescService>(
  router: ConnectRouter,
  service: S,
  implementation: Partial<ServiceImpl<S>>,
  shutdownSignal: AbortSignal,
): void {
  const methods: Record<string, unknown> = implementation
  for (const method of service.methods) {
    const call = methods[method.localName] ?? unimplemented
    const options = method.methodKind === 'unary' ? {} : { shutdownSignal }
    router.rpc(method, call as MethodImpl<typeof method>, options)
  }
}

function unimplemented(): never {
  throw new ConnectError('not implemented', Code.Unimplemented)
}

/** Options for every handler of the internal listener. */
export function createRouterOptions(options: RouterOptions) {
  return {
    readMaxBytes: messageMaxBytes,
    maxTimeoutMs: timeoutMaxMs,
    jsonOptions: { ignoreUnknownFields: false },
    // Only gzip, which gRPC clients support. Node's Brotli costs far more CPU time than it saves on a local network.
    acceptCompression: [compressionGzip],
    // Receipts and problems are too small to be worth compressing; a page of leads is not.
    compressMinBytes: 8_192,
    requestGate: createGate(options),
    interceptors: [createErrorInterceptor(options)],
  } satisfies ConnectRouterOptions
}

/** What serves the internal listener. */
export interface RpcHandlers {
  /** Serves Connect, gRPC and gRPC-Web. */
  handler: NodeHandler
  /** Serves the plain gRPC calls among them for less CPU time. */
  grpcHandler: StreamHandler
}

export function createRpcHandlers(options: RpcAppOptions): RpcHandlers {
  const routerOptions = createRouterOptions(options)
  const router = createConnectRouter(routerOptions)
  createRpcRoutes(options)(router)
  const common = { ...options, handlers: router.handlers, openCall: createOpenCall(options) }
  const { handle, serve } = createNodeHandler(common)
  const submitLead = createSubmitLead(options.submit)
  const grpcHandler = createGrpcHandler({ ...common, ...routerOptions, submitLead, serve })
  return { handler: handle, grpcHandler }
}
