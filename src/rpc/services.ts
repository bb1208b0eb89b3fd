import type { DescService } from '@bufbuild/protobuf'
import {
  type ConnectRouter,
  type ConnectRouterOptions,
  createConnectRouter,
  type MethodImpl,
  type ServiceImpl,
} from '@connectrpc/connect'
import { compressionGzip } from '@connectrpc/connect-node'
import { file_google_rpc_error_details } from '../gen/google/rpc/error_details_pb.ts'
import { Health } from '../gen/grpc/health/v1/health_pb.ts'
import { ServerReflection } from '../gen/grpc/reflection/v1/reflection_pb.ts'
import { ServerReflection as ServerReflectionAlpha } from '../gen/grpc/reflection/v1alpha/reflection_pb.ts'
import { LeadInboxService } from '../gen/leadintake/v1/inbox_pb.ts'
import { LeadIntakeService } from '../gen/leadintake/v1/intake_pb.ts'
import { file_leadintake_v1_problem } from '../gen/leadintake/v1/problem_pb.ts'
import type { Submit } from '../lead/submit.ts'
import type { NodeHandler } from '../net/internal-listener.ts'
import { createHandler, type HandlerOptions } from './handler.ts'
import type { HealthService } from './health.ts'
import { createIntakeService } from './intake.ts'
import { createInterceptor, type InterceptorOptions } from './interceptor.ts'
import { createReflection } from './reflection.ts'
import { messageMaxBytes } from './request.ts'
import { createGate, type GateOptions } from './roles.ts'

/** The largest message of health and reflection, in bytes. It contains only a name. */
const nameMaxBytes = 4_096
/** The longest timer that Node supports, in milliseconds. */
const timeoutMaxMs = 2 ** 31 - 1

/** Full names of the services that the health service reports on. */
export const leadServices: readonly string[] = [LeadIntakeService.typeName, LeadInboxService.typeName]

export interface RpcServices {
  submit: Submit
  /** The inbox methods to serve. */
  inbox: Partial<ServiceImpl<typeof LeadInboxService>>
  health: HealthService
  /** Ends streams when it is aborted. The abort reason is the error that their callers get. */
  shutdownSignal: AbortSignal
}

export interface RpcOptions extends RpcServices, InterceptorOptions, GateOptions, Omit<HandlerOptions, 'router'> {}

/** Registers the services of the internal listener (docs/specification.md §8). */
export function createRpcRoutes({ submit, inbox, health, shutdownSignal }: RpcServices) {
  const serverReflectionInfo = createReflection(
    [LeadIntakeService, LeadInboxService, Health],
    [file_leadintake_v1_problem, file_google_rpc_error_details],
  )
  return (router: ConnectRouter): void => {
    const small = { readMaxBytes: nameMaxBytes }
    router.service(LeadIntakeService, createIntakeService(submit))
    register(router, LeadInboxService, inbox)
    register(router, Health, health.service, small)
    register(router, ServerReflection, { serverReflectionInfo }, small)
    register(router, ServerReflectionAlpha, { serverReflectionInfo }, small)
  }

  /** Registers a service whose streams end at shutdown. Unary calls are left to finish; they are short. */
  function register(router: ConnectRouter, service: DescService, methods: object, options: ConnectRouterOptions = {}) {
    const implementation = methods as Record<string, unknown>
    for (const method of service.methods) {
      const call = implementation[method.localName] as MethodImpl<typeof method> | undefined
      const isUnary = method.methodKind === 'unary'
      if (call) router.rpc(method, call, { ...options, ...(!isUnary && { shutdownSignal }) })
    }
  }
}

/** Options for every method of the internal listener. */
export function createRouterOptions(options: InterceptorOptions & GateOptions) {
  return {
    readMaxBytes: messageMaxBytes,
    maxTimeoutMs: timeoutMaxMs,
    jsonOptions: { ignoreUnknownFields: false },
    // Only gzip, which gRPC libraries support. Node's Brotli costs far more CPU time than it saves on a local network.
    acceptCompression: [compressionGzip],
    // Receipts and problems are too small to be worth compressing; a page of leads is not.
    compressMinBytes: 8_192,
    requestGate: createGate(options),
    interceptors: [createInterceptor(options)],
  } satisfies ConnectRouterOptions
}

/** Serves Connect, gRPC and gRPC-Web. */
export function createRpcHandler(options: RpcOptions): NodeHandler {
  const router = createConnectRouter(createRouterOptions(options))
  createRpcRoutes(options)(router)
  return createHandler({ ...options, router })
}
