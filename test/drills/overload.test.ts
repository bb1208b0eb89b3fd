// `npm test -- --long` only. That too many submissions at once are refused is proven in test/hostile/connections.test.ts.
import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { skipWithoutEngine, startPostgres } from '../support/backends.ts'
import { readContents } from '../support/database.ts'
import { get, post } from '../support/http.ts'
import { newLead, submit } from '../support/load.ts'
import { isLong } from '../support/long.ts'
import { memoryOf, runService } from '../support/process.ts'
import { quote } from '../support/submissions.ts'
import { becomes, normal, unavailable } from './picture.ts'

/** More than the service accepts at once (2,000), so that it must shed load. */
const callers = 2_300
/** How long the arrivals take, in milliseconds: less than the service makes callers wait. */
const arrivalMs = 2_500
/** Almost the maximum size of a submission. */
const bodyBytes = 19_900
/** What a flood may add, in MiB: the 2,000 held bodies are 40 MiB, plus connections and answers. */
const memoryMax = 256

if (isLong)
  test('a flood while the store stalls is shed in bounded memory, everything else keeps answering, and the service recovers', {
    skip: skipWithoutEngine,
  }, async () => {
    const postgres = await startPostgres()
    const service = await runService({ DATABASE_URL: postgres.url, LOG_LEVEL: 'warn' })
    const agent = new Agent({ keepAlive: true })
    try {
      const before = memoryOf(service)
      await postgres.pause()
      await becomes([service], unavailable, 10_000)
      const codes = new Set<string>()
      let flooding = true
      const flood = Array.from({ length: callers }, async (_, caller) => {
        await delay((caller / callers) * arrivalMs)
        const reply = await submit(
          agent,
          service.url,
          `10.0.${caller >> 8}.${caller & 255}`,
          newLead().padEnd(bodyBytes),
        )
        codes.add(reply.status === 503 ? (JSON.parse(reply.body) as { code: string }).code : String(reply.status))
      })
      const flooded = Promise.all(flood).finally(() => {
        flooding = false
      })
      let most = before
      while (flooding) {
        const [live, ready, root, document] = await Promise.all([
          get(`${service.opsUrl}/livez`),
          get(`${service.opsUrl}/readyz`),
          get(`${service.url}/api/v1`),
          get(`${service.url}/openapi.json`),
        ])
        assert.deepEqual([live.status, ready.status, document.status], [200, 200, 200])
        assert.equal(root.json.status, 'unavailable')
        most = Math.max(most, memoryOf(service))
        await delay(100)
      }
      await flooded
      assert.deepEqual([...codes].sort(), ['overloaded', 'service_unavailable'])
      assert(most - before < memoryMax, `memory grew by ${most - before} MiB`)

      await postgres.unpause()
      await becomes([service], normal, 20_000)
      const taken = await post(service.url, { ...quote, notes: 'After the flood' })
      assert.equal(taken.status, 201)
      const { leads, distinct } = await readContents(postgres.url)
      assert(leads.includes(taken.json.id as string))
      assert.equal(distinct, leads.length)
    } finally {
      agent.destroy()
      await service.dispose()
      await postgres.stop()
    }
  })
