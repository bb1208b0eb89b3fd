import { suite, type TestContext, test } from 'node:test'
import { isLong } from '../support/long.ts'
import { createPlainFront, createTlsFront, type Front } from './fronts.ts'
import type { Plan } from './plan.ts'
import { startSiege } from './siege.ts'

/** Always the same; `npm run hostile -- --long` continues with others. */
const seeds = isLong ? [1, 2, 3, 4, 5, 6, 7, 8] : [1, 2, 3]

async function endure<P extends Plan>(context: TestContext, front: Front<P>, option: string): Promise<void> {
  await using siege = await startSiege(front)
  for (const seed of seeds) {
    await context.test(`those of seed ${seed} (npm run hostile -- ${option}--seed ${seed})`, () => siege.runBatch(seed))
  }
  await siege.assertMemoryReturns()
}

suite('hostile connections do not stop, stall or exhaust the service', () => {
  test('to all three listeners', (context) => endure(context, createPlainFront(), ''))
  test('to the internal listener with certificates', (context) => endure(context, createTlsFront(), '--tls '))
})
