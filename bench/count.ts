// Measures how many submissions one core of Redis can count, depending on how many arrive in one turn of a replica's
// event loop.
// `npm run bench:count` prints the numbers in docs/scaling.md.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createClientKey } from '../src/limit/client-key.ts'
import { createRedisCounter } from '../src/limit/redis.ts'
import { createRedisClient } from '../src/limit/redis-client.ts'
import { startRedis } from './backend/redis.ts'
import { policy } from './peer/quote.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '3' } } })
const seconds = Number(values.seconds)
const warmUpSeconds = 1

const directory = join(import.meta.dirname, 'data', String(process.pid))
await using stack = new AsyncDisposableStack()
stack.defer(() => rmSync(directory, { recursive: true, force: true }))
const redis = stack.use(await startRedis(join(directory, 'redis')))
const client = createRedisClient({ kind: 'single', url: redis.url })
const hashKey = createClientKey('a secret of the benchmark')
// On a slow machine, the run may take longer, but it must not fail.
const counter = createRedisCounter({ client, policy, hashKey, deadlineMs: 10_000 })
await counter.settled()

/** CPU seconds that Redis has used. */
async function redisSeconds(): Promise<number> {
  const cpu = await client.info('cpu')
  const [user = 0, system = 0] = ['user', 'sys'].map((kind) =>
    Number(new RegExp(`used_cpu_${kind}:(.+)`).exec(cpu)?.[1]),
  )
  return user + system
}

let clients = 0

/** Counts one request of each new client, `inTurn` at once, and returns how many it counted. */
async function count(inTurn: number, forSeconds: number): Promise<number> {
  const before = clients
  const endMs = performance.now() + forSeconds * 1_000
  while (performance.now() < endMs) {
    await Promise.all(Array.from({ length: inTurn }, () => counter.count(`client ${clients++}`)))
  }
  return clients - before
}

console.log('| in one turn | counted a second, with one replica | Redis, µs each | a second and core of Redis |')
console.log('|---|---|---|---|')
for (const inTurn of [1, 8, 64]) {
  await count(inTurn, warmUpSeconds)
  const [cpuBefore, beforeMs] = [await redisSeconds(), performance.now()]
  const counted = await count(inTurn, seconds)
  const cpuEach = ((await redisSeconds()) - cpuBefore) / counted
  const perSecond = counted / ((performance.now() - beforeMs) / 1_000)
  const cells = [perSecond.toFixed(0), (cpuEach * 1e6).toFixed(1), (1 / cpuEach).toFixed(0)]
  console.log(`| ${inTurn} | ${cells.join(' | ')} |`)
}
counter.close()
