import { createServer as createHttpServer } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { createValidateInterceptor } from '@connectrpc/validate'
import { LeadIntakeService } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { internalPort, openLeadPool, port, type Quote } from './common.ts'

// connect-node as documented, protovalidate, and a pg pool. No rate limit, like the service's own RPC.

const store = openLeadPool()

function routes(router: ConnectRouter): void {
  router.service(LeadIntakeService, {
    async submitLead({ lead }) {
      if (lead.case !== 'quoteRequest') throw new ConnectError('expected a quote_request', Code.InvalidArgument)
      const { id, receivedAt } = await store(lead.value as unknown as Quote)
      return { id, receivedAt: timestampFromMs(Date.parse(receivedAt)) }
    },
  })
}

const handler = connectNodeAdapter({ routes, interceptors: [createValidateInterceptor()] })
createHttpServer(handler).listen(port, '127.0.0.1')
createHttp2Server(handler).listen(internalPort, '127.0.0.1')
