// An independent client without our proto files: `buf curl` with server reflection.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { quote } from '../support/submissions.ts'
import { type RpcServer, receipt, startRpcServer, twoFaults } from './rpc-server.ts'

const buf = join(import.meta.dirname, '../../node_modules/.bin/buf')

let server: RpcServer
let refuse = false
before(async () => {
  server = await startRpcServer({
    async submit() {
      if (refuse) throw twoFaults()
      return { outcome: 'created', receipt }
    },
  })
  server.health.setServing(true)
})
after(() => server.listener.close(0))

/** Runs `buf curl` without a schema. Returns its output, and its error output when it fails. */
function bufCurl(path: string, ...options: string[]): Promise<{ failed: boolean; output: string }> {
  const args = ['curl', '--http2-prior-knowledge', ...options, server.url + path]
  return new Promise((resolve) => {
    execFile(buf, args, { timeout: 30_000 }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, output: error ? stderr : stdout }),
    )
  })
}

suite('buf curl', () => {
  for (const protocol of ['grpc', 'grpcweb', 'connect']) {
    for (const reflection of ['grpc-v1', 'grpc-v1alpha']) {
      test(`submits a lead by ${protocol} with reflection ${reflection}`, async () => {
        refuse = false
        const options = ['--protocol', protocol, '--reflect-protocol', reflection]
        const data = JSON.stringify({ quoteRequest: quote, idempotencyKey: 'key-1' })
        const { output } = await bufCurl('/leadintake.v1.LeadIntakeService/SubmitLead', ...options, '--data', data)
        assert.deepEqual(JSON.parse(output), { id: receipt.id, receivedAt: '2026-11-21T09:30:00.250Z' })
        assert.equal(server.submitted.at(-1)?.idempotencyKey, 'key-1')
      })
    }
  }

  test('shows the error details by name', async () => {
    refuse = true
    const options = ['--protocol', 'connect', '--data', JSON.stringify({ quoteRequest: {} })]
    const { failed, output } = await bufCurl('/leadintake.v1.LeadIntakeService/SubmitLead', ...options)
    assert.ok(failed)
    for (const expected of ['invalid_argument', 'leadintake.v1.Problem', 'google.rpc.BadRequest', '#/phone']) {
      assert.ok(output.includes(expected), output)
    }
  })

  test('checks the health of the server and of a service', async () => {
    for (const data of ['{}', '{"service":"leadintake.v1.LeadInboxService"}']) {
      const { output } = await bufCurl('/grpc.health.v1.Health/Check', '--protocol', 'grpc', '--data', data)
      assert.deepEqual(JSON.parse(output), { status: 'SERVING' })
    }
  })

  test('lists every method', async () => {
    const { output } = await bufCurl('', '--list-methods')
    for (const method of ['LeadIntakeService/SubmitLead', 'LeadInboxService/WatchLeads', 'Health/Watch']) {
      assert.ok(output.includes(method), output)
    }
  })
})
