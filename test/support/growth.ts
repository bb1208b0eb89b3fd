import assert from 'node:assert/strict'

/** Compare the minimum of this many tries, because other activity on the machine only adds time. */
const tries = 7

/** On a busy machine the minimum may need more tries. An algorithm that is not linear fails all of them. */
const triesMax = 35

/**
 * The maximum cost ratio for a doubled input: two for a linear algorithm, four for one that backtracks for every
 * character.
 */
const growthMax = 3

/** CPU time in microseconds that is too short to measure. */
const noiseUs = 500

function cpuUs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

/** Fails when the CPU time of `work` grows faster than its input, whose lengths are `n` and twice `n`. */
export function assertLinear<Input>(work: (input: Input) => void, make: (n: number) => Input, n: number, what: string) {
  const [short, long] = [make(n), make(2 * n)]
  let shortUs = Number.POSITIVE_INFINITY
  let longUs = Number.POSITIVE_INFINITY
  for (let count = 1; count <= triesMax; count++) {
    shortUs = Math.min(
      shortUs,
      cpuUs(() => work(short)),
    )
    longUs = Math.min(
      longUs,
      cpuUs(() => work(long)),
    )
    if (count >= tries && longUs < growthMax * shortUs + noiseUs) return
  }
  assert.fail(`${what}: ${shortUs} µs for ${n}, ${longUs} µs for ${2 * n}`)
}
