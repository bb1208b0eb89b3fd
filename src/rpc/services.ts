import { createConnectRouter, type ServiceImpl } from '@connectrpc/connect'
import { compressionGzip } from '@connectrpc/connect-node'
import type { Callers } from '../config/types.ts'
import { file_google_rpc_error_details } from '../gen/google/rpc/error_details_pb.ts'
import { Health } from '../gen/grpc/health/v1/health_pb.ts'
import { ServerReflection } from '../gen/grpc/reflection/v1/reflection_pb.ts'
import { ServerReflection as ServerReflectionAlpha } from '../gen/grpc/reflection/v1alpha/reflection_pb.ts'
import { LeadInboxService } from '../gen/leadintake/v1/inbox_pb.ts'
import { LeadIntakeService } from '../gen/leadintake/v1/intake_pb.ts'
import { file_leadintake_v1_problem } from '../gen/leadintake/v1/problem_pb.ts'
import type { Submit } from '../lead/submit.ts'
import type { NodeHandler } from '../net/internal-listener.ts'
import type { BusinessNotice } from '../problem/document.ts'
import { createHandler, type HandlerOptions } from './handler.ts'
import type { HealthService } from './health.ts'
import { createIntakeService } from './intake.ts'
import { createInterceptor } from './interceptor.ts'
import { createReflection } from './reflection.ts'
import { messageMaxBytes } from './request.ts'
import { createGate } from './roles.ts'

export interface RpcOptions extends HandlerOptions {
  submit: Submit
  inbox: Partial<ServiceImpl<typeof LeadInboxService>>
  health: HealthService
  business: BusinessNotice | undefined
  /** Who may do what. Without a list, any valid certificate allows submitting and reading. */
  callers: Callers | undefined
}

/** Serves Connect, gRPC and gRPC-Web (docs/specification.md §8). */
export function createRpcHandler(options: RpcOptions): NodeHandler {
  const { baseUrl, submit, inbox, health, business, callers, onError } = options
  const router = createConnectRouter({
    readMaxBytes: messageMaxBytes,
    // The longest timer that Node supports.
    maxTimeoutMs: 2 ** 31 - 1,
    jsonOptions: { ignoreUnknownFields: false },
    // Only gzip, which gRPC libraries support. Brotli costs more than it saves on a local network.
    acceptCompression: [compressionGzip],
    // Receipts and problems are too small to be worth compressing; a page of leads is not.
    compressMinBytes: 8_192,
    requestGate: createGate(baseUrl, callers),
    interceptors: [createInterceptor(baseUrl, business, onError)],
  })
  const reflection = createReflection(
    [LeadIntakeService, LeadInboxService, Health, ServerReflection, ServerReflectionAlpha],
    [file_leadintake_v1_problem, file_google_rpc_error_details],
  )
  // Their messages contain only a name.
  const small = { readMaxBytes: 4_096 }
  router.service(LeadIntakeService, createIntakeService(submit))
  router.service(LeadInboxService, inbox)
  router.service(Health, health.service, small)
  router.service(ServerReflection, reflection, small)
  router.service(ServerReflectionAlpha, reflection as object, small)
  return createHandler(router, options)
}
