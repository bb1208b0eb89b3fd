import { once } from 'node:events'
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect'
import { type Health, HealthCheckResponse_ServingStatus as ServingStatus } from '../gen/grpc/health/v1/health_pb.ts'
import { LeadInboxService } from '../gen/leadintake/v1/inbox_pb.ts'
import { LeadIntakeService } from '../gen/leadintake/v1/intake_pb.ts'

export type HealthService = ReturnType<typeof createHealthService>

/** The services with a status. `""` is the whole server. */
const knownServices = new Set<string>(['', LeadIntakeService.typeName, LeadInboxService.typeName])

/** All services share one status, NOT_SERVING until `setServing(true)`. `watch` of an unknown service stays open. */
export function createHealthService() {
  let status: ServingStatus = ServingStatus.NOT_SERVING
  let change = Promise.withResolvers<void>()

  const service: ServiceImpl<typeof Health> = {
    check({ service }) {
      if (!knownServices.has(service)) throw new ConnectError('unknown service', Code.NotFound)
      return { status }
    },
    async *watch({ service }, { signal }) {
      const aborted = once(signal, 'abort')
      let sent: ServingStatus | undefined
      while (!signal.aborted) {
        const changed = change.promise
        const now = knownServices.has(service) ? status : ServingStatus.SERVICE_UNKNOWN
        if (now !== sent) yield { status: now }
        sent = now
        await Promise.race([changed, aborted])
      }
      throw signal.reason
    },
  }

  return {
    service,
    setServing(serving: boolean) {
      status = serving ? ServingStatus.SERVING : ServingStatus.NOT_SERVING
      change.resolve()
      change = Promise.withResolvers()
    },
  }
}
