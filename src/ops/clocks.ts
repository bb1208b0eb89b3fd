import { settleWithin } from '../deadline.ts'
import type { Logger } from './log.ts'

/** How far clocks may differ, in milliseconds. */
const skewMaxMs = 60_000

const dayMs = 86_400_000
/** How far ahead of both the newest lead and the build the clock may be: longer than a quiet season, under a year. */
const idleMaxMs = 180 * dayMs
/** How old a build may be, whatever the newest lead says: a wrong clock stamps leads too. */
const buildMaxMs = 3 * 365 * dayMs

/** When `scripts/build.ts` bundled this, in milliseconds since the epoch. Files may get another time on their way. */
declare const bundledMs: number | undefined
const builtMs = typeof bundledMs === 'undefined' ? Date.now() : bundledMs

/** A time in milliseconds since the epoch. */
type ReadTime = () => Promise<number>

/** A wrong clock would refuse true consent times, store duplicates, and erase everything. */
export function createClocks(options: {
  now: () => number
  log: Logger
  /** Undefined if the database is a file. */
  readDatabase: ReadTime | undefined
  readRedis: ReadTime | undefined
  readNewest: ReadTime
}) {
  const { now, log, readDatabase, readRedis, readNewest } = options
  let trouble: string | undefined
  /** The time of the build or the newest lead, whichever is later, as read before the first lead could come in. */
  let known: { ms: number; sinceMs: number } | undefined

  /** How far another clock is ahead of this replica's, in milliseconds. */
  async function readOffset(read: ReadTime): Promise<number> {
    const startMs = now()
    return (await read()) - (startMs + now()) / 2
  }

  /** Records what is wrong. Returns whether this clock can be trusted to delete by age. Rejects in an outage. */
  async function compare(): Promise<boolean> {
    const database = readDatabase ? await readOffset(readDatabase) : 0
    const redis = readRedis ? await settleWithin(1_000, readOffset(readRedis)).catch(() => 0) : 0
    known ??= { ms: Math.max(builtMs, await readNewest()), sinceMs: performance.now() }
    const knownMs = known.ms + performance.now() - known.sinceMs
    const isSkewed = Math.max(0, database, redis) - Math.min(0, database, redis) > skewMaxMs
    const isImplausible = now() > knownMs + idleMaxMs || now() > builtMs + buildMaxMs
    const isTrusted = Math.abs(database) <= skewMaxMs && !isImplausible
    const faults: string[] = []
    const show = (ms: number) => `${ms < 0 ? 'behind' : 'ahead'} by ${Math.abs(Math.round(ms / 1_000))} s`
    if (isSkewed) faults.push(`compared with this replica, the database is ${show(database)}, Redis ${show(redis)}`)
    if (isImplausible)
      faults.push('this replica is far after the newest lead and the build: if its time is right, update the service')
    if (!isTrusted) faults.push('nothing is erased by age, and no claim pruned')
    const wasRight = trouble === undefined
    trouble = faults.length > 0 ? faults.join('; ') : undefined
    if (trouble !== undefined && wasRight) log.warn({ trouble }, 'a clock is wrong')
    if (trouble === undefined && !wasRight) log.info('clocks are right again')
    return isTrusted
  }

  return {
    compare,
    /** The time, or undefined if this clock may be so wrong that data would be deleted too early. */
    trustedNow: async (): Promise<number | undefined> => ((await compare()) ? now() : undefined),
    findTroubles: () => (trouble === undefined ? [] : [`clock: ${trouble}`]),
  }
}
