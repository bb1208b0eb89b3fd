import { X509Certificate } from 'node:crypto'
import { createInbox } from '../inbox/inbox.ts'
import { createInboxService } from '../rpc/inbox-service.ts'
import { createRpcServer, type RpcServer } from '../rpc/server.ts'
import type { Core } from './core.ts'

/** The internal listener, for the business's own services: submit, inbox, health and reflection. */
export function buildInternal(core: Core): RpcServer {
  const { config, notice, log, logLine, metrics, submit, now, onError } = core
  const { tls } = config.internal
  if (tls) metrics.onCertificate(new X509Certificate(tls.cert).validToDate)
  return createRpcServer({
    submit,
    inbox: buildInbox(core),
    baseUrl: config.baseUrl,
    business: notice,
    onError,
    onCall(call) {
      metrics.onCall(call.service, call.method, call.code)
      logLine(call, 'rpc call')
    },
    tls,
    callers: config.internal.callers,
    loopbackOnly: config.internal.loopbackOnly,
    onRefusedHandshake(code, peer) {
      metrics.onRefusedHandshake(code)
      log.warn({ code, peer }, 'tls handshake refused')
    },
    onRenewal({ cert }) {
      log.info('certificates renewed')
      metrics.onCertificate(new X509Certificate(cert).validToDate)
    },
    onRenewalError: (error) => log.warn({ err: error }, 'renewed certificates are invalid: keeping the old ones'),
    now,
  })
}

function buildInbox({ log, metrics, store, stops, now }: Core) {
  const inbox = createInbox({ store: store.inbox, stops, now })
  metrics.observeConsumers(inbox.consumers.figures)
  return createInboxService(inbox, {
    onStreamOpened: (stream) => log.info(stream, 'feed opened'),
    onStreamClosed: (stream) => log.info(stream, 'feed closed'),
  })
}
