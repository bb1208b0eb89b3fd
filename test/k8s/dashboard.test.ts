import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, test } from 'node:test'
import { createMetrics } from '../../src/ops/metrics.ts'
import { post } from '../support/http.ts'
import { startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { readPanels, startPrometheus } from './prometheus.ts'

/** A replica with problems: connections closed by limits, and consumers of the feed. */
async function startOtherReplica() {
  const metrics = createMetrics({
    isStoreUp: async () => true,
    isReady: async () => true,
    linesDropped: () => 0,
  })
  metrics.observeConsumers(async () => [{ consumer: 'crm', streams: 1, lag: { leads: 3, seconds: 7 } }])
  const server = createServer(async (_req, res) => {
    metrics.onConnectionClosed('idle')
    metrics.onCall('leadintake.v1.LeadIntakeService', 'SubmitLead', 'ok', 0.01)
    const { type, body } = await metrics.render()
    res.writeHead(200, { 'Content-Type': type }).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

suite('the dashboard', () => {
  test('shows data in every panel, from a real Prometheus that scrapes a real service', async () => {
    await using service = await startService()
    await using other = await startOtherReplica()
    await using prometheus = await startPrometheus({ a: service.opsUrl, b: other.url })
    let waiting = readPanels('5s').flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))
    assert(waiting.length > 20)
    const endMs = performance.now() + 30_000
    for (let count = 0; waiting.length > 0; count++) {
      assert(
        performance.now() < endMs,
        `no data for ${waiting.map(({ title, expr }) => `${title}: ${expr}`).join('\n')}`,
      )
      await post(service.url, { ...quote, notes: `Dashboard ${count}` })
      await post(service.url, '{')
      const results = await Promise.all(waiting.map(({ expr }) => prometheus.queryRange(expr, 3)))
      const shows = (index: number) =>
        results[index]?.some(({ values }) => values.some(([, value]) => Number.isFinite(Number(value))))
      waiting = waiting.filter((_, index) => !shows(index))
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  })
})
