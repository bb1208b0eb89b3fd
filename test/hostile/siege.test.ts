import { suite, test } from 'node:test'
import { startSiege } from './siege.ts'

/** The ordinary run is the same each time; `npm run hostile -- --long` goes on with other seeds. */
const seeds = [1, 2, 3, 4, 5, 6, 7, 8]

suite('hostile connections to all three listeners', () => {
  test('do not end, stall or fill the service', async (context) => {
    await using siege = await startSiege()
    for (const seed of seeds) {
      await context.test(`those of seed ${seed} (npm run hostile -- --seed ${seed})`, () => siege.runBatch(seed))
    }
    await siege.assertMemoryReturns()
  })
})
