import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { freshClient, get, post } from '../support/http.ts'
import { memoryOf, type RunningService, runService } from '../support/process.ts'
import { quote } from '../support/submissions.ts'
import type { Front } from './fronts.ts'
import { createRandom, type Plan } from './plan.ts'

/** docs/specification.md §11. Twice the second, as the machine of a test has other things to do. */
const honestMaxMs = 2_000
const residentMaxMebibytes = 256
/** V8 sizes the heap by the machine. In the pod of the manifest (384 MiB) it would choose this. */
const heapOfPod = '--max-old-space-size=192'
/** How long a connection is waited for whose end is the service's matter. */
const readMaxMs = 300
const connectionsPerBatch = 60

/** A service under fire. */
export interface Siege extends AsyncDisposable {
  /** Lets the connections of a seed loose, then looks whether the service is unharmed. */
  runBatch(seed: number): Promise<void>
  /** Fails unless the memory goes back to about what it was. */
  assertMemoryReturns(): Promise<void>
}

export async function startSiege<P extends Plan>(front: Front<P>): Promise<Siege> {
  const service = await runService(front.env, ['node', heapOfPod, 'src/main.ts'])
  const assertUnharmed = () => assertServed(service, front)
  await assertUnharmed()
  /** After the first batch: by then the process has compiled and allocated what it keeps. */
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

/** The process lives, has met no error that nobody foresaw, is small, and answers honest callers in time. */
async function assertServed<P extends Plan>(service: RunningService, front: Front<P>): Promise<void> {
  const startedMs = performance.now()
  const [root, lead, ready] = await Promise.all([
    get(`${service.url}/api/v1`),
    post(service.url, { ...quote, notes: `Honest ${startedMs}` }, { client: freshClient() }),
    get(`${service.opsUrl}/readyz`),
    front.assertServed(service),
  ])
  const ms = performance.now() - startedMs
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
