import type { KnownSeries } from '../ops/metrics.ts'
import { problemTable } from '../problem/table.ts'
import { leadPaths } from '../public-paths.ts'
import { leadMethods } from '../rpc/services.ts'

/** All label combinations that the listeners can produce, so that the metrics count each from its first occurrence. */
export function createKnownSeries(): KnownSeries {
  const rows = Object.entries(problemTable)
  const problems = rows.flatMap(([code, { status }]) => (status === null ? [] : [[status, code] as const]))
  const connectCodes = new Set(['ok', 'canceled', 'deadline_exceeded', 'unknown', 'internal'])
  for (const [, { connect }] of rows) if (connect !== null) connectCodes.add(connect)
  const answers = [[200, ''], [201, ''], [204, ''], ...problems] as const
  return {
    requests: leadPaths.flatMap(({ path }) => answers.map(([status, code]) => [path, status, code] as const)),
    origins: [...leadPaths.map(({ origin }) => origin), 'rpc'],
    calls: leadMethods.flatMap(([service, method]) =>
      Array.from(connectCodes, (code) => [service, method, code] as const),
    ),
  }
}
