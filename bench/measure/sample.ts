import { countLeads, flushRedis, runSql } from '../backend.ts'
import type { ContestantName } from '../contestants.ts'
import type { Outcome } from '../load.ts'
import { policy } from '../peer/quote.ts'
import type { Server } from '../server.ts'
import type { Workload } from '../workloads.ts'
import { cpuSeconds } from './process-cpu.ts'

/** The result of one round with one server. */
export interface Sample {
  /** Counted answers: acknowledgments, refusals or documents. */
  counted: number
  /** Rows inserted into the table of leads. */
  rows: number
  seconds: number
  /** Latency in milliseconds. */
  p50: number
  p99: number
  /** CPU seconds of each process tree. */
  cpu: { server: number; postgres: number; redis: number }
}

export interface SampleOptions {
  workload: Workload
  name: ContestantName
  server: Server
  postgres: { url: string; pid: number }
  redis: { url: string; pid: number }
  seconds: number
  directory: string
}

/** Long enough for requests that are pending when the load ends. */
const settleMs = 100

/** Runs one round. Throws when an answer is wrong, or when rows and acknowledgments differ. */
export async function takeSample(options: SampleOptions): Promise<Sample> {
  const { workload, name, server, postgres, redis, seconds, directory } = options
  await flushRedis(redis.url)
  // Flush what earlier rounds have written, so that all rounds start equally far from the next checkpoint.
  await runSql(postgres.url, 'CHECKPOINT')
  const hasRows = workload.counts === 'rows'
  const rowsBefore = hasRows ? await countLeads(server.databaseUrl) : 0

  const readCpu = () => cpuSeconds({ server: server.pid, postgres: postgres.pid, redis: redis.pid })
  const before = readCpu()
  const outcome = await workload.load({ server, name, seconds, directory })
  await new Promise((resolve) => setTimeout(resolve, settleMs))
  const after = readCpu()

  const rows = hasRows ? (await countLeads(server.databaseUrl)) - rowsBefore : 0
  check(workload, outcome, rows, name)
  return {
    counted: workload.counts === 'refusals' ? outcome.failed : outcome.answers,
    rows,
    seconds: outcome.seconds,
    p50: outcome.p50,
    p99: outcome.p99,
    cpu: {
      server: after.server - before.server,
      postgres: after.postgres - before.postgres,
      redis: after.redis - before.redis,
    },
  }
}

function check(workload: Workload, { answers, failed, broken }: Outcome, rows: number, name: ContestantName): void {
  const fail = (what: string) => {
    throw new Error(`${name}, ${workload.title}: ${what}`)
  }
  if (answers === 0) fail('no answer')
  if (broken > 0) fail(`${broken} requests without an answer`)
  if (workload.counts === 'refusals') {
    // A window may end during a round.
    if (answers - failed > 2 * policy.limit) fail(`${answers - failed} of ${answers} submissions were not refused`)
    return
  }
  if (failed > 0) fail(`${failed} of ${answers} requests failed`)
  // Requests that are pending when the load ends are stored but not counted.
  const uncounted = rows - answers
  if (workload.counts === 'rows' && (uncounted < 0 || uncounted > workload.inFlight)) {
    fail(`${rows} rows for ${answers} acknowledgements`)
  }
}
