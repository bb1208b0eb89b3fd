import { once } from 'node:events'
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect'
import {
  type HealthCheckRequest,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '../gen/grpc/health/v1/health_pb.ts'

export type HealthService = ReturnType<typeof createHealthService>

/**
 * `grpc.health.v1.Health` for the given services and for `""`, the whole server. All share one status, which is
 * NOT_SERVING until `setServing(true)`. `Check` of an unknown service fails with `not_found`; `Watch` reports
 * SERVICE_UNKNOWN and stays open.
 */
export function createHealthService(services: readonly string[]) {
  const known = new Set(['', ...services])
  let status: ServingStatus = ServingStatus.NOT_SERVING
  let change = Promise.withResolvers<void>()

  const statusOf = (service: string) => (known.has(service) ? status : ServingStatus.SERVICE_UNKNOWN)

  async function* watch({ service }: HealthCheckRequest, { signal }: HandlerContext) {
    const aborted = once(signal, 'abort')
    let sent: ServingStatus | undefined
    while (!signal.aborted) {
      const changed = change.promise
      const now = statusOf(service)
      if (now !== sent) yield { status: now }
      sent = now
      await Promise.race([changed, aborted])
    }
    throw signal.reason
  }

  return {
    /** Sets the status of all services. Watchers are notified at once. */
    setServing(serving: boolean) {
      status = serving ? ServingStatus.SERVING : ServingStatus.NOT_SERVING
      change.resolve()
      change = Promise.withResolvers()
    },
    service: {
      check({ service }: HealthCheckRequest) {
        if (!known.has(service)) throw new ConnectError('unknown service', Code.NotFound)
        return { status }
      },
      watch,
    },
  }
}
