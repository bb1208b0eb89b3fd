import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { allowedOf, type Observed } from './limiters.ts'

/** The key of one of many clients in an IPv6 /48. */
const client = (number: number, network = 1) => `2001:db8:${network.toString(16)}:${number.toString(16)}::/64`

/** What every counter promises within one window. `open` opens a limiter on an empty one. */
export function limiterContract(name: string, open: () => Promise<Observed>, skip: string | false = false): void {
  suite(`the limiter on ${name}`, { skip }, () => {
    test('counts down from the limit, and refuses every request beyond it', async () => {
      await using one = await open()
      for (let remaining = 9; remaining >= 0; remaining--) {
        const { resetSeconds, ...decision } = await one.limiter.consume('192.0.2.1')
        assert.deepEqual(decision, { allowed: true, limit: 10, remaining, windowSeconds: 60 })
        assert(resetSeconds > 0 && resetSeconds <= 60)
      }
      for (let count = 0; count < 3; count++) {
        const { resetSeconds, ...decision } = await one.limiter.consume('192.0.2.1')
        assert.deepEqual(decision, { allowed: false, limit: 10, remaining: 0, windowSeconds: 60 })
        assert(resetSeconds > 0 && resetSeconds <= 60)
      }
      assert.equal(one.decidedBy.length, 13)
    })

    test('admits exactly 10 of 50 concurrent requests of each client', async () => {
      await using one = await open()
      assert.equal(await allowedOf(50, [one.limiter], '192.0.2.1'), 10)
      assert.equal(await allowedOf(50, [one.limiter], '192.0.2.2'), 10)
      assert.equal(await allowedOf(50, [one.limiter], client(0)), 10)
    })

    test('admits ten times as many from a /48, and says when the /48 may send again', async () => {
      await using one = await open()
      for (let number = 0; number < 10; number++) assert.equal(await allowedOf(10, [one.limiter], client(number)), 10)
      for (let count = 0; count < 2; count++) {
        const refused = await one.limiter.consume(client(10))
        assert.deepEqual([refused.allowed, refused.limit, refused.remaining], [false, 100, 0])
        assert(refused.resetSeconds > 0)
      }
      assert.equal((await one.limiter.consume(client(0))).limit, 10, 'a client over its own limit is told about that')
      assert.equal((await one.limiter.consume(client(0, 2))).allowed, true)
      assert.equal((await one.limiter.consume('192.0.2.1')).allowed, true)
    })

    test("counts against a /48 only what its clients' own limits let through", async () => {
      await using one = await open()
      assert.equal(await allowedOf(200, [one.limiter], client(0)), 10)
      for (let number = 1; number < 10; number++) assert.equal(await allowedOf(10, [one.limiter], client(number)), 10)
      assert.equal((await one.limiter.consume(client(10))).allowed, false)
    })

    test('shows the limit of which less is left', async () => {
      await using one = await open()
      for (let number = 0; number < 9; number++) await allowedOf(10, [one.limiter], client(number))
      const both = await one.limiter.consume(client(9))
      assert.deepEqual([both.limit, both.remaining], [10, 9], 'as much is left of both')
      const other = await one.limiter.consume(client(10))
      assert.deepEqual([other.allowed, other.limit, other.remaining], [true, 100, 8])
    })
  })
}
