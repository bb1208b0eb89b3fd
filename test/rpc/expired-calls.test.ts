// What grpc-js, the client of most callers on Node, does when the service stalls: each deadline that passes is a reset.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { Client, credentials, status } from '@grpc/grpc-js'
import { WatchLeadsRequestSchema, WatchLeadsResponseSchema } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { SubmitLeadRequestSchema, SubmitLeadResponseSchema } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { quote } from '../support/submissions.ts'
import { createAuthority } from './certificates.ts'
import { receipt, startRpcServer, submitPath } from './rpc-server.ts'

const watchPath = '/leadintake.v1.LeadInboxService/WatchLeads'
const authority = createAuthority('The business')
const tls = { ...authority.issue('localhost', { names: ['DNS:localhost'] }), ca: authority.cert }
const crm = authority.issue('crm')
const pem = (text: string) => Buffer.from(text)

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
      client.makeUnaryRequest(
        submitPath,
        (message) => Buffer.from(toBinary(SubmitLeadRequestSchema, message)),
        (bytes) => fromBinary(SubmitLeadResponseSchema, bytes),
        create(SubmitLeadRequestSchema, { lead: { case: 'quoteRequest', value: quote } }),
        { deadline: Date.now() + deadlineMs },
        (error) => resolve(error?.code ?? status.OK),
      )
    })
  const feed = client.makeServerStreamRequest(
    watchPath,
    (message) => Buffer.from(toBinary(WatchLeadsRequestSchema, message)),
    (bytes) => fromBinary(WatchLeadsResponseSchema, bytes),
    create(WatchLeadsRequestSchema),
  )
  const [first] = await once(feed, 'data')
  assert.equal(first.cursor, 'before')
  const codes = await Promise.all(Array.from({ length: 400 }, () => submit(15)))
  assert.deepEqual(new Set(codes), new Set([status.DEADLINE_EXCEEDED]))
  stalled.resolve()
  assert.equal(await submit(60_000), status.OK)
  next.resolve()
  const [second] = await once(feed, 'data')
  assert.equal(second.cursor, 'after')
  client.close()
})
