import { countLeads, runSql } from '../backend/postgres.ts'
import { flushRedis } from '../backend/redis.ts'
import type { ContestantName } from '../contestants.ts'
import type { Outcome } from '../load/outcome.ts'
import { policy } from '../peer/quote.ts'
import type { Server } from '../server.ts'
import type { Workload } from '../workloads.ts'
import { cpuSeconds } from './process-cpu.ts'

/** What one round of one server gave. */
export interface Sample {
  /** Answers that count: acknowledgements, refusals or documents. */
  counted: number
  /** Rows that came into the table of leads. */
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
  /** The processes whose CPU time counts as the server's; left out: that of `server`. */
  serverPids?: readonly number[]
  postgres: { url: string; pid: number }
  redis: { url: string; pid: number }
  seconds: number
  directory: string
}

/** Long enough for what is under way when the load ends. */
const settleMs = 100

/** Runs one round. Throws when an answer is not what it should be, or when rows and acknowledgements differ. */
export async function takeSample(options: SampleOptions): Promise<Sample> {
  const { workload, name, server, postgres, redis, seconds, directory } = options
  await flushRedis(redis.url)
  // What earlier rounds have left to be written is written now, and each round begins at the same distance from it.
  await runSql(postgres.url, 'CHECKPOINT')
  const hasRows = workload.counts === 'rows'
  const rowsBefore = hasRows ? await countLeads(server.databaseUrl) : 0

  const pids = options.serverPids ?? [server.pid]
  const readCpu = () => {
    const servers = pids.map((pid) => cpuSeconds({ pid }).pid)
    return { ...cpuSeconds({ postgres: postgres.pid, redis: redis.pid }), server: servers.reduce((a, b) => a + b) }
  }
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
    // A window may end within a round.
    if (answers - failed > 2 * policy.limit) fail(`${answers - failed} of ${answers} submissions were not refused`)
    return
  }
  if (failed > 0) fail(`${failed} of ${answers} requests failed`)
  // What is under way when the load ends is stored and not counted.
  const uncounted = rows - answers
  if (workload.counts === 'rows' && (uncounted < 0 || uncounted > workload.inFlight)) {
    fail(`${rows} rows for ${answers} acknowledgements`)
  }
}
