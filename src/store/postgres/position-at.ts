import type { PostgresConnection } from './connection.ts'

const minuteMs = 60_000

/** The windows after the requested time to search, one after the other. Most times have an entry soon after. */
const windowsMs = [minuteMs, 10 * minuteMs, 120 * minuteMs, 1_440 * minuteMs, 28_800 * minuteMs, 525_600 * minuteMs]

/** Also examine this many entries before the first match, because the clocks of replicas differ. */
const skewRows = 20_000

/** `+ 0` stops the planner from scanning the primary key from its start. The BRIN index finds the time. */
const firstWithin = `
  SELECT least(
    (SELECT min(position + 0) FROM leads WHERE received_at >= $1 AND received_at < $2),
    (SELECT min(position + 0) FROM changes WHERE at >= $1 AND at < $2)
  )::float8 AS position`

const firstBefore = `
  SELECT least(
    (SELECT min(position + 0) FROM leads WHERE position BETWEEN $2::bigint - ${skewRows} AND $2 AND received_at >= $1),
    (SELECT min(position + 0) FROM changes WHERE position BETWEEN $2::bigint - ${skewRows} AND $2 AND at >= $1)
  )::float8 AS position`

/** The first position stamped at `time` or later. Undefined: no such entry yet. */
export async function findPositionAt(reader: PostgresConnection, time: string): Promise<number | undefined> {
  const startMs = Date.parse(time)
  const find = async (text: string, values: unknown[]) =>
    (await reader.query<{ position: number | null }>({ text, values })).rows[0]?.position ?? undefined
  let from = time
  for (const windowMs of [...windowsMs, Number.POSITIVE_INFINITY]) {
    const endMs = startMs + windowMs
    const to = endMs < Date.parse('9999-12-31T23:59:59.999Z') ? new Date(endMs).toISOString() : 'infinity'
    const position = await find(firstWithin, [from, to])
    if (position !== undefined) return await find(firstBefore, [time, position])
    if (to === 'infinity') break
    from = to
  }
  return undefined
}
