import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { StoreError } from '../../src/store/database.ts'
import { createGroupCommit, type GroupCommitOptions } from '../../src/store/group-commit.ts'
import { createHealthWatch } from '../../src/store/health-watch.ts'
import { until } from '../support/until.ts'

/** An error after which the database may be there again. */
const away = new StoreError('away', true, 'away')
class Refused extends Error {}

type Commit = GroupCommitOptions<number, string>['commit']

function group(commit: Commit, options: Partial<GroupCommitOptions<number, string>> = {}) {
  return createGroupCommit<number, string>({
    commit,
    recheck: async (items) => items.map(() => undefined),
    batchMax: 4,
    queueMax: 100,
    deadlineMs: 2_000,
    backoffMs: { first: 1, max: 4 },
    gather: { ms: 0, enough: 1 },
    ...options,
  })
}

const done = (items: readonly number[]) => items.map((item) => `done ${item}`)

test('a lone item does not wait; those soon after it wait for each other', async () => {
  const batches: (readonly number[])[] = []
  const commit: Commit = async (items) => {
    batches.push(items)
    return done(items)
  }
  const { add } = group(commit, { gather: { ms: 3_600_000, enough: 3 }, deadlineMs: 3_600_000 })
  assert.equal(await add(1), 'done 1')
  const others = [add(2), add(3)]
  for (let turn = 0; turn < 5; turn++) await setImmediate()
  assert.deepEqual(batches, [[1]])
  await Promise.all([...others, add(4)])
  assert.deepEqual(batches, [[1], [2, 3, 4]])
})

test('an item whose deadline passes in the queue is never committed', async () => {
  const batches: (readonly number[])[] = []
  const gate = Promise.withResolvers<void>()
  const commit: Commit = async (items) => {
    batches.push(items)
    await gate.promise
    return done(items)
  }
  const { add } = group(commit, { deadlineMs: 20 })
  const first = add(1)
  await setImmediate()
  const second = add(2)
  for (const late of [first, second])
    await assert.rejects(late, { name: 'LeadError', code: 'service_unavailable', retryAfterSeconds: 5 })
  gate.resolve()
  assert.equal(await add(3), 'done 3')
  assert.deepEqual(batches, [[1], [3]])
})

for (const fate of ['comes late', 'is lost', 'is lost, and no item comes after it', 'is lost at each attempt'] as const)
  test(`an item that was committed, but whose answer ${fate}, is reported after its deadline`, async () => {
    const late: string[] = []
    const gate = Promise.withResolvers<void>()
    const commit: Commit = async (items) => {
      if (items.includes(1) && fate !== 'is lost at each attempt') await gate.promise
      if (items.includes(1) && fate !== 'comes late') throw away
      return done(items)
    }
    const { add, settle, close } = group(commit, { deadlineMs: 100, recheck: async (items) => done(items) })
    await assert.rejects(
      add(1, (outcome) => late.push(outcome)),
      { code: 'service_unavailable' },
    )
    gate.resolve()
    const look = () => {
      settle()
      return late.length > 0
    }
    await (fate === 'is lost, and no item comes after it' ? until('it is reported', look) : add(2))
    await close()
    assert.deepEqual(late, ['done 1'])
  })

test('a batch that fails as a whole is tried again in smaller ones, down to one, which then grow again', async () => {
  const sizes: number[] = []
  const { add } = group(
    async (items) => {
      sizes.push(items.length)
      if (sizes.length <= 3) throw away
      return done(items)
    },
    { batchMax: 32 },
  )
  await Promise.all(Array.from({ length: 40 }, (_, item) => add(item)))
  assert.deepEqual(sizes, [32, 8, 2, 1, 2, 4, 8, 16, 9])
})

test('items beyond a full queue are refused at once, and the others are unaffected', async () => {
  const { add } = group(async (items) => done(items), { queueMax: 2 })
  const taken = [add(1), add(2)]
  await assert.rejects(add(3), { name: 'LeadError', code: 'overloaded', retryAfterSeconds: 1 })
  assert.deepEqual(await Promise.all(taken), ['done 1', 'done 2'])
})

test('an item that was committed, and expires while the first half of its batch is tried again, is reported', async () => {
  const late: string[] = []
  let commits = 0
  const commit: Commit = async (items) => {
    if (++commits === 1) throw away
    if (items.includes(99)) throw new Refused()
    if (items.includes(7)) await setTimeout(300)
    return done(items)
  }
  const { add, close } = group(commit, { batchMax: 8, deadlineMs: 200, recheck: async (items) => done(items) })
  const onLate = (outcome: string) => late.push(outcome)
  const results = Promise.allSettled([1, 2, 3, 4, 5, 6, 7, 8, 99].map((item) => add(item, onLate)))
  assert.deepEqual((await results).map(({ status }) => status).slice(6, 8), ['rejected', 'rejected'])
  await add(10)
  await close()
  assert.deepEqual(late, ['done 7', 'done 8'])
})

/** The outcome of a commit in the model. `lost`: it committed, but its answer does not arrive. */
const fates = ['good', 'away', 'lost', 'slow'] as const

test('each item settles once with its own outcome, and is committed once, whatever the database does', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...fates), { maxLength: 12 }),
      fc.array(fc.record({ poison: fc.boolean(), turnsBefore: fc.nat(3) }), { minLength: 1, maxLength: 20 }),
      async (plan, arrivals) => {
        const committed = new Set<number>()
        const attempted = new Set<number>()
        let underWay = 0
        const steps = [...plan]
        const { add, close } = group(async (items) => {
          assert.equal(++underWay, 1, 'one commit at a time')
          assert.ok(items.length >= 1 && items.length <= 4)
          assert.equal(new Set(items).size, items.length)
          for (const item of items) attempted.add(item)
          try {
            const fate = steps.shift() ?? 'good'
            await setImmediate()
            if (fate === 'slow') await setTimeout(3)
            if (fate === 'away') throw away
            if (items.some((item) => arrivals[item]?.poison)) throw new Refused()
            // Like the store: existing items are left unchanged.
            for (const item of items) committed.add(item)
            if (fate === 'lost') throw away
            return done(items)
          } finally {
            underWay--
          }
        })
        const results: Promise<PromiseSettledResult<string>[]>[] = []
        for (const [item, { turnsBefore }] of arrivals.entries()) {
          for (let turn = 0; turn < turnsBefore; turn++) await setImmediate()
          results.push(Promise.allSettled([add(item)]))
        }
        await close()
        for (const [item, [result]] of (await Promise.all(results)).entries()) {
          const isGood = !arrivals[item]?.poison
          assert.equal(committed.has(item), isGood, `item ${item}`)
          if (isGood) assert.deepEqual(result, { status: 'fulfilled', value: `done ${item}` })
          else assert.ok(result?.status === 'rejected' && result.reason instanceof Refused, `item ${item}`)
        }
        assert.equal(attempted.size, arrivals.length)
      },
    ),
    { numRuns: 150 },
  )
})

// test/e2e/ops.test.ts and test/store/sqlite.test.ts show the rest.
test('a commit that fails during a probe of the database outweighs it, and is shown without its data', async () => {
  for (const [error, reason] of [
    [new StoreError('ECONNREFUSED', true, 'postgres: ECONNREFUSED'), 'postgres: ECONNREFUSED'],
    [new Error('Pat Example'), 'unexpected error'],
  ] as const) {
    const probe = Promise.withResolvers<void>()
    const health = createHealthWatch(() => probe.promise)
    const checked = health.findTrouble()
    health.noteFailure(error)
    probe.resolve()
    assert.equal(await checked, reason)
  }
})
