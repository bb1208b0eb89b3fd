import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect'
import {
  Health as HealthService,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '../../src/gen/grpc/health/v1/health_pb.ts'
import { createHealth } from '../../src/rpc/health.ts'

const known = 'leadintake.v1.LeadIntakeService'

function start() {
  const health = createHealth([known])
  const shutdown = new AbortController()
  const transport = createRouterTransport((router) => {
    router.service(HealthService, health.service, { shutdownSignal: shutdown.signal })
  })
  return { health, shutdown, client: createClient(HealthService, transport) }
}

suite('Check', () => {
  test('reports NOT_SERVING before the start', async () => {
    const { client } = start()
    assert.equal((await client.check({})).status, ServingStatus.NOT_SERVING)
  })

  test('answers for the whole server and for each service', async () => {
    const { client, health } = start()
    health.setServing(true)
    for (const service of ['', known]) {
      assert.equal((await client.check({ service })).status, ServingStatus.SERVING)
    }
    health.setServing(false)
    assert.equal((await client.check({ service: known })).status, ServingStatus.NOT_SERVING)
  })

  test('fails with not_found for an unknown service', async () => {
    const { client } = start()
    await assert.rejects(
      client.check({ service: 'nope.v1.Nope' }),
      (error) => error instanceof ConnectError && error.code === Code.NotFound,
    )
  })
})

suite('Watch', () => {
  test('sends the current status at once, and then every change', async () => {
    const { client, health } = start()
    const seen: ServingStatus[] = []
    for await (const { status } of client.watch({ service: known })) {
      seen.push(status)
      if (seen.length === 1) health.setServing(true)
      if (seen.length === 2) health.setServing(false)
      if (seen.length === 3) break
    }
    assert.deepEqual(seen, [ServingStatus.NOT_SERVING, ServingStatus.SERVING, ServingStatus.NOT_SERVING])
  })

  test('notifies many watchers, once per change', async () => {
    const { client, health, shutdown } = start()
    const seen: ServingStatus[][] = [[], [], []]
    const started = Promise.withResolvers<void>()
    const watches = seen.map(async (own) => {
      for await (const { status } of client.watch({})) {
        own.push(status)
        if (seen.every((each) => each.length === 1)) started.resolve()
        if (seen.every((each) => each.length === 2)) shutdown.abort(new ConnectError('stopping', Code.Unavailable))
      }
    })
    await started.promise
    health.setServing(true)
    health.setServing(true)
    await Promise.allSettled(watches)
    assert.deepEqual(seen, Array(3).fill([ServingStatus.NOT_SERVING, ServingStatus.SERVING]))
  })

  test('sends SERVICE_UNKNOWN for an unknown service, and stays open', async () => {
    const { client, health, shutdown } = start()
    const seen: ServingStatus[] = []
    const watch = (async () => {
      for await (const { status } of client.watch({ service: 'nope.v1.Nope' })) {
        seen.push(status)
        health.setServing(true)
        setImmediate(() => shutdown.abort(new ConnectError('stopping', Code.Unavailable)))
      }
    })()
    await assert.rejects(watch, (error) => error instanceof ConnectError && error.code === Code.Unavailable)
    assert.deepEqual(seen, [ServingStatus.SERVICE_UNKNOWN])
  })

  test('sends NOT_SERVING and ends as unavailable at shutdown', async () => {
    const { client, health, shutdown } = start()
    health.setServing(true)
    const seen: ServingStatus[] = []
    const watch = (async () => {
      for await (const { status } of client.watch({})) {
        seen.push(status)
        if (status === ServingStatus.SERVING) health.setServing(false)
        else shutdown.abort(new ConnectError('stopping', Code.Unavailable))
      }
    })()
    await assert.rejects(watch, (error) => error instanceof ConnectError && error.code === Code.Unavailable)
    assert.deepEqual(seen, [ServingStatus.SERVING, ServingStatus.NOT_SERVING])
  })
})
