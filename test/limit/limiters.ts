import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { redisUrl } from '../../src/config/types.ts'
import { type CountedBy, type Limiter, openLimiter } from '../../src/limit/limiter.ts'
import { createRedisConnection } from '../../src/limit/redis-connection.ts'
import { until } from '../support/until.ts'

/** Connects to the Redis of a setting. */
export const connect = (url: string) => createRedisConnection(redisUrl.parse(url))

/** A limiter and its recorded events. `redis`: as in `REDIS_URL`. */
export async function observe(settings: { redis?: string; secret?: string; answerMs?: number } = {}) {
  // By default, time for a busy machine: most tests are not about a slow Redis.
  const { redis, secret, answerMs = 10_000 } = settings
  /** Why Redis did not count. Undefined: it counted again. */
  const troubles: (string | undefined)[] = []
  const decidedBy: CountedBy[] = []
  const limiter = await openLimiter({
    policy: { limit: 10, windowSeconds: 60 },
    replicas: 1,
    secret,
    redis: redis === undefined ? undefined : connect(redis),
    answerMs,
    onTrouble: (reason) => troubles.push(reason),
    onDecision: (by) => decidedBy.push(by),
  })
  /** Resolves when Redis can count. */
  const recovers = () => until('Redis counts again', async () => (await limiter.findTrouble()) === undefined)
  return { limiter, troubles, decidedBy, recovers, [Symbol.asyncDispose]: async () => limiter.close() }
}

/** How many of this many concurrent requests are allowed. */
export async function allowedOf(count: number, limiters: readonly Limiter[], clientKey: string): Promise<number> {
  const decisions = await Promise.all(
    Array.from({ length: count }, (_, i) => (limiters[i % limiters.length] as Limiter).consume(clientKey)),
  )
  return decisions.filter(({ allowed }) => allowed).length
}

/** The key of one of many clients in an IPv6 /48. */
const clientIn = (number: number, network = 1) => `2001:db8:${network.toString(16)}:${number.toString(16)}::/64`

/** What every counter promises within one window. `open` opens a limiter on an empty one. */
export function limiterContract(
  name: string,
  open: () => ReturnType<typeof observe>,
  skip: string | false = false,
): void {
  suite(`the limiter on ${name}`, { skip }, () => {
    test('admits exactly 10 of 50 concurrent requests of each client', async () => {
      await using one = await open()
      for (const client of ['192.0.2.1', '192.0.2.2', clientIn(0)])
        assert.equal(await allowedOf(50, [one.limiter], client), 10)
      assert.equal(one.decidedBy.length, 150)
    })

    test("admits ten times as many from a /48, of those that its clients' own limits let through", async () => {
      await using one = await open()
      assert.equal(await allowedOf(200, [one.limiter], clientIn(0)), 10)
      for (let number = 1; number < 9; number++) assert.equal(await allowedOf(10, [one.limiter], clientIn(number)), 10)
      assert.equal(await allowedOf(9, [one.limiter], clientIn(9)), 9)
      const last = await one.limiter.consume(clientIn(10))
      assert.deepEqual([last.allowed, last.limit, last.remaining], [true, 100, 0], 'less is left of the network')
      for (let count = 0; count < 2; count++) {
        const refused = await one.limiter.consume(clientIn(10))
        assert.deepEqual([refused.allowed, refused.limit, refused.remaining], [false, 100, 0])
      }
      assert.equal((await one.limiter.consume(clientIn(0))).limit, 10, 'a client over its own limit is told about that')
      assert.equal((await one.limiter.consume(clientIn(0, 2))).allowed, true)
      assert.equal((await one.limiter.consume('192.0.2.1')).allowed, true)
    })
  })
}
