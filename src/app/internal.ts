import { X509Certificate } from 'node:crypto'
import { LeadError } from '../lead/error.ts'
import { createInternalListener } from '../net/internal-listener.ts'
import { type Certificates, watchTlsFiles } from '../net/tls-files.ts'
import { createRpcHandler } from '../rpc/handler.ts'
import { createHealthService } from '../rpc/health.ts'
import { createInboxService } from '../rpc/inbox-service.ts'
import { details } from '../words/problems.ts'
import type { Core } from './core.ts'

/** The codes of calls that failed because of the service, not because of their caller. */
const ownFailures = new Set(['unknown', 'deadline_exceeded', 'unimplemented', 'internal', 'unavailable', 'data_loss'])

/** The internal listener, for the business's own services. Throws if the certificates cannot be used. */
export function buildInternal(core: Core) {
  const { config, notice, log, metrics, traces, submit, now, onError } = core
  const { tls, callers, loopbackOnly } = config.internal
  const shutdown = new AbortController()
  const health = createHealthService()
  const handler = createRpcHandler({
    submit,
    inbox: createInboxService(core, (stream, event) => log.info(stream, event), config.business.name),
    health,
    shutdownSignal: shutdown.signal,
    baseUrl: config.baseUrl,
    business: notice,
    callers,
    loopbackOnly,
    onError,
    onCall(call, isUnary, headers) {
      metrics.onCall(call, isUnary)
      log.info(call, 'rpc call')
      const { requestId, service, method, code, seconds } = call
      const attributes = { 'rpc.service': service, 'rpc.method': method, 'rpc.response.status_code': code }
      const failed = ownFailures.has(code)
      traces?.record({ name: `${service}/${method}`, requestId, seconds, failed, headers, attributes })
    },
  })
  const { server, renew, close } = createInternalListener({
    handler,
    tls,
    onRefusedHandshake(code, peer) {
      metrics.onRefusedHandshake(code)
      log.warn({ code, peer }, 'tls handshake refused')
    },
  })
  function reportValidity({ cert }: Certificates): void {
    const { validFromDate: from, validToDate: to } = new X509Certificate(cert)
    metrics.onCertificate(to)
    if (+from > now() || +to <= now())
      log.warn({ from, to }, 'INTERNAL_TLS_CERT is not valid now; callers will reject it')
  }
  if (tls) reportValidity(tls)
  function onRenewal(fresh: Certificates): void {
    renew(fresh)
    log.info('certificates renewed')
    reportValidity(fresh)
  }
  const stopWatching =
    tls &&
    watchTlsFiles(tls, onRenewal, (error) =>
      log.warn({ reason: (error as Error).message }, 'renewed certificates are invalid: keeping the old ones'),
    )

  return {
    server,
    setServing: health.setServing,
    /** Ends streams with `unavailable`, so that callers reconnect elsewhere, and closes everything within `graceMs`. */
    async close(graceMs: number) {
      stopWatching?.()
      shutdown.abort(new LeadError('inbox_unavailable', { detail: details.stopping }))
      await close(graceMs)
    },
  }
}
