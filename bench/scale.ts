// How the cost of a lead grows with replicas, with the table and with abuse: `npm run bench:scale` prints what
// docs/scaling.md says, and writes results/scale.json.
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Backend } from './backend/backend.ts'
import { createDatabase, runSql, startPostgres } from './backend/postgres.ts'
import { startRedis } from './backend/redis.ts'
import { contestants } from './contestants.ts'
import { measureAbuse } from './measure/abuse.ts'
import { takeSample } from './measure/sample.ts'
import { saveResult } from './report/results.ts'
import { compareScales, type ScaleRow } from './report/scale.ts'
import { requireTools } from './requirements.ts'
import { type Server, startServer } from './server.ts'
import { workloads } from './workloads.ts'

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '10000000' }, seconds: { type: 'string', default: '5' } },
})
const rowCount = Number(values.rows)
const seconds = Number(values.seconds)
const rounds = 5
const warmUpSeconds = 3

const directory = join(import.meta.dirname, 'data', String(process.pid))
await using stack = new AsyncDisposableStack()
stack.defer(() => rmSync(directory, { recursive: true }))

interface Site {
  redis: Backend
  postgres: Backend
}

function start({ redis }: Site, databaseUrl: string, name: string): Promise<Server> {
  return startServer({
    contestant: contestants['lead-intake'],
    databaseUrl,
    redisUrl: redis.url,
    documentFile: '',
    logFile: join(directory, `${name}.log`),
  })
}

/** Loads every one of the servers with 64 submissions under way, all at once. */
async function sampleAll(site: Site, servers: readonly Server[]): Promise<ScaleRow> {
  const [first] = servers as [Server]
  const pids = servers.map(({ pid }) => pid)
  const sample = await takeSample({
    workload: {
      ...workloads.submit,
      inFlight: 64 * servers.length,
      async load(context) {
        const outcomes = await Promise.all(servers.map((server) => workloads.submit.load({ ...context, server })))
        const sum = (key: 'answers' | 'failed' | 'broken') => outcomes.reduce((all, outcome) => all + outcome[key], 0)
        const [one] = outcomes as [(typeof outcomes)[0]]
        return { ...one, answers: sum('answers'), failed: sum('failed'), broken: sum('broken') }
      },
    },
    name: 'lead-intake',
    server: first,
    serverPids: pids,
    redis: site.redis,
    postgres: site.postgres,
    seconds,
    directory,
  })
  const perThousand = (cpu: number) => (cpu / sample.counted) * 1000
  return {
    perSecond: sample.counted / sample.seconds,
    server: perThousand(sample.cpu.server),
    postgres: perThousand(sample.cpu.postgres),
    redis: perThousand(sample.cpu.redis),
  }
}

/** Measures cases in interleaved rounds. */
async function compare<Name extends string>(site: Site, cases: Record<Name, readonly Server[]>) {
  const names = Object.keys(cases) as Name[]
  for (const server of new Set(names.flatMap((name) => cases[name]))) {
    await workloads.submit.load({ server, name: 'lead-intake', seconds: warmUpSeconds, directory })
  }
  const rows = Object.fromEntries(names.map((name) => [name, [] as ScaleRow[]])) as Record<Name, ScaleRow[]>
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      rows[name].push(await sampleAll(site, cases[name]))
    }
  }
  return rows
}

async function measureReplicas(site: Site) {
  const databaseUrl = await createDatabase(site.postgres.url, 'replicas')
  await using servers = new AsyncDisposableStack()
  const all: Server[] = []
  for (let index = 0; index < 4; index++) all.push(servers.use(await start(site, databaseUrl, `replica-${index}`)))
  return await compare(site, { '1 replica': all.slice(0, 1), '2 replicas': all.slice(0, 2), '4 replicas': all })
}

/** Leads as the service stores them, made by the database itself. */
async function fill(databaseUrl: string): Promise<void> {
  const step = 500_000
  for (let from = 1; from <= rowCount; from += step) {
    const to = Math.min(rowCount, from + step - 1)
    await runSql(
      databaseUrl,
      `WITH made AS MATERIALIZED (
         SELECT gen_random_uuid() AS id, now() AS at, sha256(n::text::bytea) AS hash, n
         FROM generate_series(${from}, ${to}) n
       ), leads AS (
         INSERT INTO leads (id, kind, received_at, personal, evidence)
         SELECT id, 'quote', at,
           '{"content":{"formType":"quote","name":"Customer ' || n || '","notes":"' || repeat('Two cats. ', 20) || '"}}',
           '{"path":"rest-v1","requestId":"' || id || '","personalSha256":"' || encode(hash, 'hex') || '"}'
         FROM made
       )
       INSERT INTO claims (key, lead_id, received_at, ends_at, content)
       SELECT left(encode(hash, 'hex'), 32)::uuid, id, at, at + interval '1 day', left(encode(hash, 'hex'), 32)::uuid FROM made`,
    )
  }
  await runSql(databaseUrl, 'ANALYZE')
}

async function measureTable(site: Site) {
  await using servers = new AsyncDisposableStack()
  const empty = servers.use(await start(site, await createDatabase(site.postgres.url, 'empty'), 'empty'))
  const full = servers.use(await start(site, await createDatabase(site.postgres.url, 'full'), 'full'))
  await fill(full.databaseUrl)
  return await compare(site, { 'an empty table': [empty], [`${rowCount} leads`]: [full] })
}

requireTools()
execFileSync(process.execPath, [join(import.meta.dirname, '../scripts/build.ts')], { stdio: 'inherit' })
const site: Site = {
  redis: stack.use(await startRedis(join(directory, 'redis'))),
  postgres: stack.use(await startPostgres(join(directory, 'postgres'))),
}
const abuse = await measureAbuse(site.redis.url, 1_000_000)
console.log(abuse)
const replicas = await measureReplicas(site)
console.log(compareScales(replicas))
const table = await measureTable(site)
console.log(compareScales(table))
console.log(saveResult('scale.json', `${JSON.stringify({ abuse, replicas, table }, null, 2)}\n`))
