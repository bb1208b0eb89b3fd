import assert from 'node:assert/strict'

/** The least of so many tries counts: whatever else the process or the machine does only adds to a try. */
const tries = 7

/** What a doubled input may cost more: twice for a linear reader, four times for one that goes back for every character. */
const growthMax = 3

/** Microseconds of CPU that are not told apart from nothing. */
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
