import assert from 'node:assert/strict'
import { connect } from 'node:http2'
import { test } from 'node:test'
import { createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { LeadInboxService } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { createInboxService } from '../../src/rpc/inbox.ts'
import { setUpInbox } from '../lead/inbox-fixture.ts'
import { startRpcServer } from './rpc-server.ts'

/** An empty gRPC request: an uncompressed message of zero bytes. */
const emptyRequest = Buffer.alloc(5)

test('unread streams that have waited the longest are cut off, and readers get everything', async () => {
  const { store, inbox } = setUpInbox()
  store.add(100, { content: { formType: 'quote', notes: 'x'.repeat(20_000) } })
  await using server = await startRpcServer({ inbox: createInboxService(inbox), unsentMaxBytes: 400_000 })
  const session = connect(server.url)
  try {
    for (let number = 0; number < 20; number++) {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/leadintake.v1.LeadInboxService/WatchLeads',
        'content-type': 'application/grpc',
        te: 'trailers',
      })
      stream.on('error', () => {})
      stream.end(emptyRequest)
      await new Promise((resolve) => stream.once('response', resolve))
    }
    // Each unread stream counts as 36 kB, so ten of them fit.
    while (server.calls.length < 9) await server.nextCall()
    const client = createClient(LeadInboxService, createGrpcTransport({ baseUrl: server.url }))
    let count = 0
    for await (const { lead } of client.watchLeads({})) {
      if (!lead) break
      count++
    }
    assert.equal(count, 100)
    const cutOff = server.calls.filter(({ code }) => code === 'canceled')
    assert.ok(cutOff.length >= 9 && cutOff.length <= 12, `${cutOff.length} streams were cut off`)
  } finally {
    session.destroy()
  }
})
