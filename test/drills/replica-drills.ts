import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresUrl, redisUrl } from '../support/backends.ts'
import { freshClient, post } from '../support/http.ts'
import { newLead } from '../support/load.ts'
import { drill } from './drill.ts'
import { replicaCount, startFleet } from './fleet.ts'
import { unavailable } from './picture.ts'
import { startProxy } from './proxy.ts'
import { startSkewedFleet } from './skewed-fleet.ts'
import { startSmallDiskFleet } from './small-disk-fleet.ts'

/** Failures of the replicas themselves. */
export function replicaDrills(): void {
  test('a replica is killed, and another takes its place', async () => {
    await using fleet = await startFleet({ DATABASE_URL: await postgresUrl(), REDIS_URL: await redisUrl() })
    await drill('a replica killed', fleet, {
      begin: () => fleet.kill(0),
      end: () => fleet.replace(0),
      mayBreak: true,
    })
  })

  test('three replicas behind the proxy are replaced one by one, and no request fails', async () => {
    await using fleet = await startFleet({
      DATABASE_URL: await postgresUrl(),
      REDIS_URL: await redisUrl(),
      DRAIN_SECONDS: '2',
    })
    await using proxy = await startProxy(fleet.urls)
    await drill(
      'rolling restart',
      { ...fleet, urls: [proxy.url] },
      {
        begin: async () => {
          for (let index = 0; index < replicaCount; index++) {
            // Like an orchestrator: stops the replica while removing it from the proxy, and lets it drain.
            await Promise.all([proxy.leadTo(fleet.urls.toSpliced(index, 1)), fleet.stop(index)])
            await fleet.replace(index)
            await proxy.leadTo(fleet.urls)
          }
        },
      },
    )
  })

  test('the clocks of the replicas differ by minutes: the limit is one, and a key is one lead', async () => {
    await using fleet = await startSkewedFleet()
    await drill('clock skew', fleet, {
      begin: async () => {
        for (let key = 0; key < 10; key++) {
          const body = newLead()
          const headers = { 'Idempotency-Key': `"skew-${key}"` }
          // A key belongs to the client that sent it.
          const client = freshClient()
          const answers = await Promise.all(fleet.urls.map((url) => post(url, body, { headers, client })))
          assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
          assert.equal(new Set(answers.map(({ json }) => json.id)).size, 1, 'one lead')
        }
      },
    })
  })

  test('the disk of SQLite is full', async () => {
    await using fleet = await startSmallDiskFleet()
    await drill('disk full (SQLite)', fleet, { begin: fleet.fill, told: unavailable, end: fleet.clear })
  })
}
