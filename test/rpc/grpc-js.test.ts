// The gRPC client of most Node programs, and how it shows errors.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { findTrailerError } from '@connectrpc/connect/protocol-grpc'
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js'
import { ProblemSchema } from '../../src/gen/leadintake/v1/problem_pb.ts'
import { LeadError } from '../../src/lead/error.ts'
import { type RpcServer, startRpcServer, submitPath } from './rpc-server.ts'

const message = 'Too many leads are waiting in Größe 😀'
const watchPath = '/leadintake.v1.LeadInboxService/WatchLeads'

let server: RpcServer
let client: Client
before(async () => {
  server = await startRpcServer({
    async submit() {
      throw new LeadError('overloaded', message)
    },
    inbox: {
      async *watchLeads() {
        yield { cursor: '1' }
        throw new LeadError('cursor_lost', message)
      },
    },
  })
  client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure())
})
after(async () => {
  client.close()
  await server.listener.close(0)
})

const plain = (bytes: Buffer) => bytes

/** Calls SubmitLead with an empty quote request. */
function submit(): Promise<ServiceError> {
  return new Promise((resolve, reject) => {
    const done = (error: ServiceError | null) => (error ? resolve(error) : reject(new Error('no error')))
    client.makeUnaryRequest(submitPath, plain, plain, Buffer.from([0x0a, 0]), new Metadata(), done)
  })
}

function watch(): Promise<ServiceError> {
  return new Promise((resolve) => {
    const stream = client.makeServerStreamRequest(watchPath, plain, plain, Buffer.alloc(0), new Metadata())
    stream.on('error', (error) => resolve(error as ServiceError)).resume()
  })
}

suite('grpc-js', () => {
  for (const [what, call, code, problem] of [
    ['a call that fails', submit, 14, 'overloaded'],
    ['a stream that fails', watch, 11, 'cursor_lost'],
  ] as const) {
    test(`reads message, problem and request id of ${what}`, async () => {
      const ended = server.nextCall()
      const error = await call()
      const { requestId } = await ended
      assert.equal(error.code, code)
      assert.equal(error.details, message)
      assert.deepEqual(error.metadata.get('x-request-id'), [requestId])
      const [details] = error.metadata.get('grpc-status-details-bin')
      const trailer = new Headers({
        'grpc-status': `${code}`,
        'grpc-status-details-bin': (details as Buffer).toString('base64'),
      })
      assert.equal(findTrailerError(trailer)?.findDetails(ProblemSchema)[0]?.code, problem)
    })
  }
})
