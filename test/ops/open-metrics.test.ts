import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createMetrics } from '../../src/ops/metrics.ts'

suite('the metrics in OpenMetrics', () => {
  test('show the latest sampled trace of each bucket', async () => {
    const metrics = createMetrics({
      version: '1.0.0',
      nodeVersion: 'v26',
      known: { requests: [], origins: [], calls: [] },
      isStoreUp: async () => true,
      isReady: async () => true,
    })
    metrics.onRequest('/api/v1/leads', 201, undefined, 0.004, '1'.repeat(32))
    metrics.onRequest('/api/v1/leads', 201, undefined, 0.003, '2'.repeat(32))
    metrics.onRequest('/api/v1/leads', 201, undefined, 0.3)
    const { body } = await metrics.render('application/openmetrics-text;version=1.0.0,text/plain;q=0.5')
    const withExemplar = body.split('\n').filter((line) => line.includes('trace_id'))
    assert.equal(withExemplar.length, 1)
    assert.match(
      withExemplar[0] ?? '',
      /^lead_intake_http_request_duration_seconds_bucket\{le="0\.005",route="\/api\/v1\/leads",status="2xx"\} 2 # \{trace_id="2{32}"\} 0\.003 \d{10}\.\d{3}$/,
    )
    assert.doesNotMatch((await metrics.render('text/plain')).body, /trace_id/)
  })
})
