// What grpc-js, the client of most callers on Node, does when the service stalls: each deadline that passes is a reset.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { create, toBinary } from '@bufbuild/protobuf'
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js'
import { SubmitLeadRequestSchema } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { quote } from '../support/submissions.ts'
import { createAuthority } from './certificates.ts'
import { receipt, startRpcServer, submitPath } from './rpc-server.ts'

const watchPath = '/leadintake.v1.LeadInboxService/WatchLeads'
const authority = createAuthority('The business')
const tls = { ...authority.issue('localhost', { names: ['DNS:localhost'] }), ca: authority.cert }
const crm = authority.issue('crm')
const pem = (text: string) => Buffer.from(text)
const asBytes = (bytes: Buffer) => bytes
const lead = create(SubmitLeadRequestSchema, { lead: { case: 'quoteRequest', value: quote } })

test('400 calls that expire in a stall leave the feed of the same channel and its next call alone', async () => {
  const stalled = Promise.withResolvers<void>()
  const next = Promise.withResolvers<void>()
  await using server = await startRpcServer({
    tls,
    submit: () => stalled.promise.then(() => ({ outcome: 'created', receipt })),
    inbox: {
      async *watchLeads() {
        yield { cursor: 'before' }
        await next.promise
        yield { cursor: 'after' }
      },
    },
  })
  const channel = credentials.createSsl(pem(authority.cert), pem(crm.key), pem(crm.cert))
  const client = new Client(`localhost:${server.port}`, channel)
  /** The code of a submission. */
  const submit = (deadlineMs: number) =>
    new Promise<number>((resolve) => {
      const message = Buffer.from(toBinary(SubmitLeadRequestSchema, lead))
      const options = { deadline: Date.now() + deadlineMs }
      const answered = (error: ServiceError | null) => resolve(error?.code ?? status.OK)
      client.makeUnaryRequest(submitPath, asBytes, asBytes, message, options, answered)
    })
  const feed = client.makeServerStreamRequest(watchPath, asBytes, asBytes, Buffer.alloc(0))
  const [first] = await once(feed, 'data')
  assert.match(String(first), /before/)
  const codes = await Promise.all(Array.from({ length: 400 }, () => submit(15)))
  assert.deepEqual(new Set(codes), new Set([status.DEADLINE_EXCEEDED]))
  stalled.resolve()
  assert.equal(await submit(60_000), status.OK)
  next.resolve()
  const [second] = await once(feed, 'data')
  assert.match(String(second), /after/)
  client.close()
})
