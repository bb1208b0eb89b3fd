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
  const inputs = [make(n), make(2 * n)]
  let least = inputs.map(() => Number.POSITIVE_INFINITY)
  for (let count = 1; count <= triesMax; count++) {
    const times = inputs.map((input) => cpuUs(() => work(input)))
    least = least.map((us, index) => Math.min(us, times[index] as number))
    const [shortUs = 0, longUs = 0] = least
    if (count >= tries && longUs < growthMax * shortUs + noiseUs) return
  }
  assert.fail(`${what}: ${least[0]} µs for ${n}, ${least[1]} µs for ${2 * n}`)
}
