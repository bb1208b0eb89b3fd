import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBatchedClient } from '../../src/limit/redis-batch.ts'
import type { RedisClient } from '../../src/limit/redis-client.ts'

/** A driver that records the keys of each command. `answer` gets the keys. */
function fakeDriver(answer: (keys: string[]) => Promise<unknown>, isCluster = false) {
  const commands: string[][] = []
  const reconnects: unknown[] = []
  const driver = {
    status: 'ready',
    isCluster,
    defineCommand() {},
    disconnect: (reconnect: unknown) => reconnects.push(reconnect),
    countRequests(...all: [number, ...string[]]) {
      const [count, ...keysAndArguments] = isCluster ? [1, ...(all as unknown[] as string[])] : all
      const keys = (keysAndArguments as string[]).slice(0, count)
      commands.push(keys)
      return answer(keys)
    },
  }
  return { commands, reconnects, driver: driver as unknown as RedisClient }
}

const countEach = async (keys: string[]) => keys.map((_, at) => `${at + 1} 60000`).join(',')
const parameters = ['1', '60', '10', '60'] as const

test('the requests of one event-loop turn are one command, and each gets its own answer', async () => {
  const { commands, driver } = fakeDriver(countEach)
  const { rlflxIncr } = createBatchedClient(driver, 1_000)
  const answers = await Promise.all(['a', 'b', 'c'].map((key) => rlflxIncr([key, ...parameters])))
  assert.deepEqual(answers, [
    ['1', '60000'],
    ['2', '60000'],
    ['3', '60000'],
  ])
  await rlflxIncr(['d', ...parameters])
  assert.deepEqual(commands, [['a', 'b', 'c'], ['d']])
})

test('sixteen requests are sent without waiting for the end of the turn', async () => {
  const { commands, driver } = fakeDriver(countEach)
  const { rlflxIncr } = createBatchedClient(driver, 1_000)
  const keys = Array.from({ length: 20 }, (_, at) => `key ${at}`)
  const counted = Promise.all(keys.map((key) => rlflxIncr([key, ...parameters])))
  assert.deepEqual(commands, [keys.slice(0, 16)])
  await counted
  assert.deepEqual(commands, [keys.slice(0, 16), keys.slice(16)])
})

test('requests with other arguments are another command', async () => {
  const { commands, driver } = fakeDriver(countEach)
  const { rlflxIncr } = createBatchedClient(driver, 1_000)
  await Promise.all([
    rlflxIncr(['a', ...parameters]),
    rlflxIncr(['probe', '1', '1', '9', '1']),
    rlflxIncr(['b', ...parameters]),
  ])
  assert.deepEqual(commands, [['a', 'b'], ['probe']])
})

test('on a Cluster, each client is a command of its own', async () => {
  const { commands, driver } = fakeDriver(countEach, true)
  const { rlflxIncr } = createBatchedClient(driver, 1_000)
  await Promise.all(['a', 'b'].map((key) => rlflxIncr([key, ...parameters])))
  assert.deepEqual(commands, [['a'], ['b']])
})

test('after a proxy has refused keys of several slots, each client is a command of its own', async () => {
  const { commands, driver } = fakeDriver(async (keys) => {
    if (keys.length > 1) throw new Error("CROSSSLOT Keys in request don't hash to the same slot")
    return countEach(keys)
  })
  const { rlflxIncr } = createBatchedClient(driver, 1_000)
  const countBoth = () => Promise.all(['a', 'b'].map((key) => rlflxIncr([key, ...parameters])))
  await assert.rejects(countBoth(), /CROSSSLOT/)
  await countBoth()
  assert.deepEqual(commands, [['a', 'b'], ['a'], ['b']])
})

test('all requests of a command fail when Redis does not answer in time', async () => {
  const { driver } = fakeDriver(() => new Promise(() => {}))
  const { rlflxIncr } = createBatchedClient(driver, 20)
  const results = await Promise.allSettled(['a', 'b'].map((key) => rlflxIncr([key, ...parameters])))
  for (const result of results) {
    assert.equal(result.status, 'rejected')
    assert.match(String(result.reason), /did not answer within 20 ms/)
  }
})

for (const [what, answer] of [
  ['a count', 1],
  ['nothing', null],
  ['a list', ['1 60000', '2 60000']],
  ['another text', 'OK'],
  ['an empty text', ''],
  ['one usage', '1 60000'],
  ['three usages', '1 60000,2 60000,3 60000'],
  ['a cut usage', '1 60000,2'],
  ['a cut usage of a site', '1 60000,2 60000 1'],
] as const) {
  test(`when ${what} comes in place of two usages, both requests fail, and the connection is replaced`, async () => {
    const { driver, reconnects } = fakeDriver(async () => answer)
    const { rlflxIncr } = createBatchedClient(driver, 1_000)
    const results = await Promise.allSettled(['a', 'b'].map((key) => rlflxIncr([key, ...parameters])))
    for (const result of results) {
      assert.equal(result.status, 'rejected')
      assert.match(String(result.reason), /the answer of another command/)
    }
    assert.deepEqual(reconnects, [true])
  })
}
