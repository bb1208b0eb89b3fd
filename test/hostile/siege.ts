import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { freshClient, get, post } from '../support/http.ts'
import { memoryOf, type RunningService, runService } from '../support/process.ts'
import { runningMs } from '../support/stalls.ts'
import { quote } from '../support/submissions.ts'
import type { Front } from './fronts.ts'
import { createRandom, type Plan } from './plan.ts'

/** docs/specification.md §11, twice the second, because the test machine is busy. */
const honestMaxMs = 2_000
const residentMaxMebibytes = 256
/** V8 sizes its heap by the machine. This is the size for the manifest's pod (384 MiB). */
const heapOfPod = '--max-old-space-size=192'
/** How long to wait for the service to close a connection, in milliseconds. */
const readMaxMs = 300
const connectionsPerBatch = 60

/** A service under attack. */
export interface Siege extends AsyncDisposable {
  /** Runs the connections of a seed, then verifies that the service is unharmed. */
  runBatch(seed: number): Promise<void>
  /** Fails unless memory returns to about its original size. */
  assertMemoryReturns(): Promise<void>
}

export async function startSiege<P extends Plan>(front: Front<P>): Promise<Siege> {
  const service = await runService(front.env, ['node', heapOfPod, 'src/main.ts'])
  const assertUnharmed = () => assertServed(service, front)
  await assertUnharmed()
  /** Measured after the first batch, when the process has compiled and allocated what it keeps. */
  let restingMebibytes: number | undefined
  return {
    async runBatch(seed) {
      const random = createRandom(seed)
      const plans = Array.from({ length: connectionsPerBatch }, () => front.createPlan(random))
      await Promise.all([...plans.map((plan) => attack(service, front, plan)), assertUnharmed()])
      await assertUnharmed()
      restingMebibytes ??= memoryOf(service)
    },
    async assertMemoryReturns() {
      const endMs = Date.now() + 15_000
      const allowed = (restingMebibytes ?? memoryOf(service)) + 64
      while (memoryOf(service) > allowed) {
        assert(Date.now() < endMs, `${memoryOf(service)} MiB, ${restingMebibytes} at rest`)
        await delay(200)
      }
    },
    async [Symbol.asyncDispose]() {
      await service.dispose()
      front.dispose()
    },
  }
}

async function attack<P extends Plan>(service: RunningService, front: Front<P>, plan: P): Promise<void> {
  const { socket, cut } = await front.open(service, plan)
  const closed = new Promise<void>((resolve) => {
    if (socket.closed) resolve()
    else socket.once('close', () => resolve())
  })
  socket.on('error', () => {})
  if (plan.reads) socket.resume()
  for (const { bytes, pauseMs } of plan.writes) {
    if (pauseMs > 0) await delay(pauseMs)
    if (socket.destroyed) return
    socket.write(bytes)
  }
  await delay(plan.endingMs)
  if (plan.ending === 'reset') cut()
  else if (plan.ending === 'half-close') socket.end()
  if (plan.ending === 'half-close' || plan.ending === 'read') await Promise.race([closed, delay(readMaxMs)])
  socket.destroy()
  await Promise.race([closed, delay(readMaxMs)])
}

/** The process is alive, has logged no unexpected error, is small, and answers honest callers in time. */
async function assertServed<P extends Plan>(service: RunningService, front: Front<P>): Promise<void> {
  const startedMs = runningMs()
  const [root, lead, ready] = await Promise.all([
    get(`${service.url}/api/v1`),
    post(service.url, { ...quote, notes: `Honest ${startedMs}` }, { client: freshClient() }),
    get(`${service.opsUrl}/readyz`),
    front.assertServed(service),
  ])
  const ms = runningMs() - startedMs
  assert.deepEqual([root.status, lead.status, ready.status], [200, 201, 200])
  assert(ms < honestMaxMs, `an honest request took ${ms} ms`)
  assert.equal(service.child.exitCode, null)
  const errors = service
    .output()
    .split('\n')
    .filter((line) => /^\{"level":[56]0/.test(line) || !/^(\{|$)/.test(line))
  assert.deepEqual(errors, [])
  const mebibytes = memoryOf(service)
  assert(mebibytes < residentMaxMebibytes, `${mebibytes} MiB`)
}
