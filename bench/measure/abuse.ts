import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Redis } from 'ioredis'
import { createClientKey } from '../../src/limit/client-key.ts'
import { createMemoryCounter } from '../../src/limit/memory.ts'
import { createRedisCounter } from '../../src/limit/redis.ts'
import { createRedisClient } from '../../src/limit/redis-client.ts'
import { policy } from '../peer/quote.ts'

/** The memory that a flood of ever-changing addresses takes within one window. */
export interface Abuse {
  addresses: number
  /** Bytes in Redis per address while its window lasts. */
  redisBytesPerAddress: number
  redisMebibytes: number
  /**
   * Memory of a process that counts by itself, or that remembers clients over their limit. Its number of clients is
   * bounded.
   */
  processMebibytes: number
}

const atOnce = 1_000

function addressOf(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
}

function heapMebibytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed / 2 ** 20
}

/** Counts one submission from each of many addresses, with the service's own counters. */
export async function measureAbuse(redisUrl: string, addresses: number): Promise<Abuse> {
  const reader = new Redis(redisUrl)
  const usedBytes = async () => Number(/^used_memory:(\d+)/m.exec(await reader.info('memory'))?.[1])
  const before = await usedBytes()
  // Long enough that no window ends during the measurement.
  const long = { limit: policy.limit, windowSeconds: 3_600 }
  const counter = createRedisCounter({
    client: createRedisClient({ kind: 'single', url: redisUrl }),
    policy: long,
    hashKey: createClientKey('bench'),
    deadlineMs: 10_000,
  })
  await counter.settled()
  for (let from = 0; from < addresses; from += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, index) => counter.count(addressOf(from + index))))
  }
  const bytes = (await usedBytes()) - before
  counter.close()
  await reader.flushall()
  reader.disconnect()

  const emptyHeap = heapMebibytes()
  const memory = createMemoryCounter(long, () => 0)
  for (let number = 0; number < addresses; number++) memory.count(addressOf(number))
  const heap = heapMebibytes() - emptyHeap
  // Keeps `memory` alive, so that nothing was garbage-collected before the measurement.
  memory.count(addressOf(0))
  return {
    addresses,
    redisBytesPerAddress: Math.round(bytes / addresses),
    redisMebibytes: Math.round(bytes / 2 ** 20),
    processMebibytes: Math.round(heap * 10) / 10,
  }
}
