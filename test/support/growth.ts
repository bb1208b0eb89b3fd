import assert from 'node:assert/strict'

/** Use the minimum of this many tries, because other activity on the machine only adds time. */
const tries = 7

/**
 * The maximum cost ratio for a doubled input: two for a linear algorithm, four for one that backtracks for every
 * character.
 */
const growthMax = 3

/** CPU time in microseconds that is too short to measure. */
const noiseUs = 500

function leastCpuUs(work: () => void): number {
  let least = Number.POSITIVE_INFINITY
  for (let count = 0; count < tries; count++) {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, user + system)
  }
  return least
}

/** Fails when the CPU time of `work` grows faster than its input, whose lengths are `n` and twice `n`. */
export function assertLinear<Input>(work: (input: Input) => void, make: (n: number) => Input, n: number, what: string) {
  const [short, long] = [make(n), make(2 * n)]
  const shortUs = leastCpuUs(() => work(short))
  const longUs = leastCpuUs(() => work(long))
  assert(longUs < growthMax * shortUs + noiseUs, `${what}: ${shortUs} µs for ${n}, ${longUs} µs for ${2 * n}`)
}
