// `npm run hostile -- --seed N` replays the connections of one seed. With `--long` it continues with N + 1, N + 2, …
// for hours. With `--tls` it attacks the internal listener with certificates.
import { parseArgs } from 'node:util'
import { createPlainFront, createTlsFront } from '../test/hostile/fronts.ts'
import { startSiege } from '../test/hostile/siege.ts'

const { values } = parseArgs({
  options: {
    long: { type: 'boolean' },
    tls: { type: 'boolean' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '240' },
  },
})
const first = Number(values.seed)
const minutes = Number(values.minutes)
if (!Number.isSafeInteger(first) || !(minutes > 0)) {
  console.error('Expected --seed with a whole number, and --minutes with a number above 0.')
  process.exit(78)
}

const endMs = Date.now() + minutes * 60_000
let seed = first
try {
  await using siege = values.tls ? await startSiege(createTlsFront()) : await startSiege(createPlainFront())
  do {
    await siege.runBatch(seed)
    if (seed % 50 === 0) {
      await siege.assertMemoryReturns()
      console.log(`seed ${seed}: unharmed`)
    }
  } while (values.long && Date.now() < endMs && ++seed)
  await siege.assertMemoryReturns()
  console.log(`passed with seeds ${first} to ${seed}`)
} catch (error) {
  console.error(`Seed ${seed} failed. Replay it: npm run hostile -- ${values.tls ? '--tls ' : ''}--seed ${seed}`)
  console.error(error)
  process.exitCode = 1
}
