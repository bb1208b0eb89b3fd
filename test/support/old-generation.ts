import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: (options: { type: 'major' | 'minor' }) => void = runInNewContext('gc')

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? Number.NaN
}

/**
 * How many bytes `work` leaves in the old generation of the heap until the next full collection. Objects get there by
 * surviving two collections of the young generation.
 */
export async function oldBytesAfter(work: () => unknown): Promise<number> {
  collect({ type: 'major' })
  const before = oldBytes()
  await work()
  collect({ type: 'minor' })
  collect({ type: 'minor' })
  return oldBytes() - before
}
