import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Histogram, Registry } from 'prom-client'
import { registerHistogram } from '../../src/ops/histogram.ts'

const options = { name: 'answer_seconds', help: 'Time to answer.', buckets: [0.1, 0.5, 2] }

test("a histogram is exposed exactly like the library's own", async () => {
  const observation = fc.record({
    route: fc.constantFrom('/', '/api/v1/leads', 'with "quotes"'),
    value: fc.oneof(fc.constantFrom(0, 0.1, 0.5, 2), fc.double({ min: 0, max: 3, noNaN: true })),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(observation), async (observations) => {
      const [ours, theirs] = [new Registry(), new Registry()]
      const createSeries = registerHistogram(ours, options)
      const oracle = new Histogram({ ...options, labelNames: ['route'], registers: [theirs] })
      const series = new Map<string, ReturnType<typeof createSeries>>()
      for (const { route, value } of observations) {
        if (!series.has(route)) series.set(route, createSeries({ route }))
        series.get(route)?.observe(value)
        oracle.labels(route).observe(value)
      }
      assert.equal(await ours.metrics(), await theirs.metrics())
      assert.equal(await ours.metrics(), await theirs.metrics(), 'a scrape changes nothing')
    }),
  )
})
