// What a business must survive, under steady load.
import { suite, test } from 'node:test'
import { skipWithoutEngine } from '../support/backends.ts'
import { drill, startFleet } from './drill.ts'
import { startPostgresPair, startPostgresServer } from './postgres-server.ts'
import { startTcpProxy } from './tcp-proxy.ts'

suite('failures', { skip: skipWithoutEngine, timeout: 600_000 }, () => {
  test('PostgreSQL stalls', async () => {
    await using stack = new AsyncDisposableStack()
    const server = stack.use(await startPostgresServer())
    const fleet = await startFleet(stack, { DATABASE_URL: server.url })
    await drill(fleet, server.pause, server.unpause)
  })

  test('PostgreSQL fails over to a standby that is read-only until it is promoted', async () => {
    await using stack = new AsyncDisposableStack()
    const pair = stack.use(await startPostgresPair())
    let { port } = pair
    const way = stack.use(await startTcpProxy(() => port))
    const fleet = await startFleet(stack, { DATABASE_URL: pair.urlAt(way.port) })
    const failOver = async () => {
      await pair.killPrimary()
      way.cut()
      port = pair.standbyPort
      await way.lead()
    }
    await drill(fleet, failOver, pair.promote)
  })

  test('three replicas are replaced one by one, and no request fails', async () => {
    await using stack = new AsyncDisposableStack()
    const fleet = await startFleet(stack, { DRAIN_SECONDS: '2' })
    await drill(fleet, fleet.replaceAll)
  })
})
