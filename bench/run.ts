// `npm run bench [-- --quick | --guard]`: measures each workload's servers in interleaved rounds, prints the tables and
// goals, and writes results/. Throws at the first wrong answer.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type WorstText, worstTexts } from '../test/hostile/worst-texts.ts'
import { type Answer, get, openRaw, post, readRaw } from '../test/support/http.ts'
import { measureGrowth } from './growth.ts'
import type { RecordedAnswer } from './peer/bare-koa.ts'
import { compare, estimate, printGoals, type Results, renderChart, type Sample } from './report.ts'
import {
  type ContestantName,
  countLeads,
  cpuSeconds,
  isService,
  runSql,
  type Server,
  startPostgres,
  startRedis,
  startServer,
  withRedis,
} from './servers.ts'
import { quote, type Workload, type WorkloadName, workloads } from './workloads.ts'

const { values: options } = parseArgs({ options: { quick: { type: 'boolean' }, guard: { type: 'boolean' } } })
const mode = options.guard ? 'guard' : options.quick ? 'quick' : 'full'
// Two processes of one program may differ by a third for as long as they live, so every generation starts all servers
// anew and measures each once.
const generations = { quick: 1, guard: 5, full: 9 }[mode]
/** Between which numbers of leads the cost of an operation is compared. */
const leadCounts = [1_000, mode === 'quick' ? 50_000 : 1_000_000] as const
const seconds = 1
/** The share of the slowest server's rate at which all servers of a paced workload are compared. */
const paceShare = 0.5
const results = join(import.meta.dirname, 'results')
// On a disk, not under /tmp, which may be in memory.
const directory = join(import.meta.dirname, 'data', String(process.pid))
mkdirSync(directory, { recursive: true })
execFileSync(process.execPath, [join(import.meta.dirname, '../scripts/build.ts')], { stdio: 'inherit' })
const loadAverage = loadavg()[0] as number
await using stack = new AsyncDisposableStack()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stack.disposeAsync().finally(() => process.exit(1)))
const redis = stack.use(await startRedis())
const postgres = stack.use(await startPostgres())

/** Answers of the service, which bare Koa repeats. */
const answersFile = join(directory, 'answers.json')

/** Creates a database. For a peer, with its table; the service sets up its own. */
async function createDatabase(name: string, contestant: ContestantName): Promise<string> {
  await runSql(postgres.url, `CREATE DATABASE "${name}"`)
  const { href } = new URL(`/${name}`, postgres.url)
  const table = readFileSync(join(import.meta.dirname, 'peer/lead-table.sql'), 'utf8')
  if (!isService(contestant)) await runSql(href, table)
  return href
}

const start = (name: ContestantName, databaseUrl: string, env = {}) =>
  startServer(name, directory, { DATABASE_URL: databaseUrl, REDIS_URL: redis.url, ANSWERS_FILE: answersFile, ...env })

/** One client submits everything, and opt-outs are recorded. */
const startForGrowth = (databaseUrl: string) =>
  start('lead-intake', databaseUrl, { RATE_LIMIT: '1000000', STOP_KEY: 'a key for the benchmark alone' })

/** A REST server stores a row, answers 201 with the headers, refuses a quote without consent and an eleventh request. */
async function verifyRest({ publicUrl, databaseUrl }: Server): Promise<Answer> {
  // An address that no load uses.
  const submit = (body: object) => post(publicUrl, body, { client: '192.0.2.2' })
  const created = await submit(quote)
  assert.equal(created.status, 201)
  assert.equal(created.headers.get('ratelimit-remaining'), '9')
  assert.equal(await countLeads(databaseUrl), 1)
  assert.match(String((await submit({ ...quote, communicationsConsent: false })).status), /^4(00|22)$/)
  for (let request = 3; request <= 10; request++) await submit({})
  const refused = await submit(quote)
  assert.equal(refused.status, 429)
  assert(Number(refused.headers.get('retry-after')) >= 1)
  return refused
}

/** The header fields that Node and Koa add to any answer. */
const addedFields = /^(connection|content-length|date|keep-alive)$/

/** Saves what the service answers to the requests that bare Koa also gets. */
async function recordAnswers({ publicUrl }: Server, refusal: Answer): Promise<void> {
  const record = ({ status, headers, text: body }: Answer): RecordedAnswer => {
    return { status, fields: Object.fromEntries([...headers].filter(([name]) => !addedFields.test(name))), body }
  }
  const document = await get(`${publicUrl}/openapi.json`, { 'accept-encoding': 'identity' })
  writeFileSync(answersFile, JSON.stringify({ refusal: record(refusal), document: record(document) }))
}

/** Starts the servers in turn, each on its own database, and waits half a second for work that they defer. */
async function measureStarts(): Promise<Results['starts']> {
  const databases = new Map<ContestantName, string>()
  for (const name of workloads.submit.contestants) databases.set(name, await createDatabase(`start ${name}`, name))
  const started = []
  for (let generation = 0; generation < generations; generation++)
    for (const [name, databaseUrl] of databases) {
      await using server = await start(name, databaseUrl)
      await delay(500)
      const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
      started.push({ name, ms: server.startMs, mebibytes: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024 })
    }
  const figures = Array.from(
    Map.groupBy(started, ({ name }) => name),
    ([name, own]) => {
      const idleMebibytes = estimate(own.map(({ mebibytes }) => mebibytes))
      return [name, { firstAnswerMs: estimate(own.map(({ ms }) => ms)), idleMebibytes }]
    },
  )
  return Object.fromEntries(figures)
}

/**
 * Sends each of the worst requests in the hostile tests, one at a time, to a service without a rate limit, and measures the
 * CPU time of its main thread: of all turns of the event loop that it caused, so no single turn took longer. The worst
 * ones are tried again, and the minimum counts, because other activity only adds time.
 */
async function measureStalls(): Promise<Results['stalls']> {
  const databaseUrl = await createDatabase('stalls', 'lead-intake-repeats')
  await using server = await start('lead-intake-repeats', databaseUrl, { RATE_LIMIT: '1000000' })
  const mainThreadMs = () =>
    Number(readFileSync(`/proc/${server.pid}/task/${server.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  const costOf = async ({ make, length }: WorstText) => {
    const request = make(length)
    const before = mainThreadMs()
    const socket = await openRaw(server.publicUrl)
    socket.write(request)
    await readRaw(socket)
    // Long enough for the log line, the metrics and closing the connection.
    await delay(3)
    return mainThreadMs() - before
  }
  const costs: { text: WorstText; ms: number }[] = []
  for (const text of worstTexts) costs.push({ text, ms: await costOf(text) })
  const worst = costs.sort((a, b) => b.ms - a.ms).slice(0, 25)
  for (let attempt = 0; attempt < 5; attempt++)
    for (const cost of worst) cost.ms = Math.min(cost.ms, await costOf(cost.text))
  worst.sort((a, b) => b.ms - a.ms)
  return worst.slice(0, 5).map(({ text, ms }) => ({ what: text.what, ms }))
}

/** Runs one round. Throws when an answer is wrong, or when rows and acknowledgments differ. */
async function takeSample(workload: Workload, server: Server, forSeconds: number, rate: number): Promise<Sample> {
  await withRedis(redis.url, (client) => client.flushall())
  // Flush what earlier rounds have written, so that all rounds start equally far from the next checkpoint.
  await runSql(postgres.url, 'CHECKPOINT')
  const readCpu = () => [server, postgres, redis].map(({ pid }) => cpuSeconds(pid))
  const hasRows = workload.counts === 'rows'
  const rowsBefore = hasRows ? await countLeads(server.databaseUrl) : 0
  const before = readCpu()
  const { answers, failed, broken, p50, p99, ...outcome } = await workload.load(server, forSeconds, rate)
  // For requests that are pending when the load ends.
  await delay(100)
  const after = readCpu()
  const what = `${workload.title}: ${answers} answers, ${failed} failed, ${broken} broken`
  assert(answers > 0 && broken === 0, what)
  if (workload.counts === 'refusals') {
    // A window may end during a round.
    assert(answers - failed <= 20, what)
  } else assert.equal(failed, 0, what)
  if (hasRows) {
    // Requests that are pending when the load ends are stored but not counted.
    const uncounted = (await countLeads(server.databaseUrl)) - rowsBefore - answers
    assert(uncounted >= 0 && uncounted <= 64, `${what}, and ${uncounted} more rows`)
  }
  const counted = workload.counts === 'refusals' ? failed : answers
  const cpu = after.map((used, index) => ((used - (before[index] as number)) / counted) * 1e6)
  const [ofServer, ofPostgres, ofRedis] = cpu as [number, number, number]
  const all = ofServer + ofPostgres + ofRedis
  return { perSecond: counted / outcome.seconds, p50, p99, server: ofServer, postgres: ofPostgres, redis: ofRedis, all }
}

/**
 * Measures a workload with new processes, in an order that changes with the generation. Only its servers run, so that no
 * workload leaves its garbage or its compiled code to another. `rate` is 0 in a closed loop, and until the first generation
 * has shown what the slowest server can do.
 */
async function measureGeneration(name: WorkloadName, generation: number, rate: number) {
  await using running = new AsyncDisposableStack()
  const workload: Workload = workloads[name]
  const contestants = workload.contestants.slice(0, mode === 'guard' ? 2 : undefined)
  const shift = generation % contestants.length
  const servers: [ContestantName, Server][] = []
  for (const contestant of [...contestants.slice(shift), ...contestants.slice(0, shift)]) {
    const databaseUrl = await createDatabase(`${name} ${contestant} ${generation}`, contestant)
    const server = running.use(await start(contestant, databaseUrl))
    servers.push([contestant, server])
    if (name !== 'submit') continue
    const refusal = await verifyRest(server)
    if (contestant === 'lead-intake') await recordAnswers(server, refusal)
  }
  console.log(`${workload.title}, generation ${generation} of ${generations}`)
  const warm = []
  // Longer to warm up, because each server compiles its code only now.
  for (const [, server] of servers) warm.push((await takeSample(workload, server, 2 * seconds, 0)).perSecond)
  const pace = workload.paced ? rate || Math.floor(paceShare * Math.min(...warm)) : 0
  const measured = []
  for (const [contestant, server] of servers)
    measured.push({ contestant, sample: await takeSample(workload, server, seconds, pace) })
  return { pace, measured }
}

/** Measures a workload in all generations. Each sample of a server is of another generation. */
async function measureWorkload(workload: WorkloadName): Promise<Results['cells']> {
  const all = []
  let pace = 0
  for (let generation = 1; generation <= generations; generation++) {
    const { measured, ...latest } = await measureGeneration(workload, generation, pace)
    pace = latest.pace
    all.push(...measured)
  }
  const byServer = Map.groupBy(all, ({ contestant }) => contestant)
  return Array.from(byServer, ([contestant, own]) => {
    return { workload, contestant, pace, samples: own.map(({ sample }) => sample) }
  })
}

async function measure(): Promise<Results> {
  const starts = mode === 'guard' ? {} : await measureStarts()
  const stalls = mode === 'guard' ? [] : await measureStalls()
  const growth = mode === 'guard' ? {} : await measureGrowth(postgres, directory, leadCounts, startForGrowth)
  const cells = []
  for (const name of Object.keys(workloads) as WorkloadName[]) cells.push(...(await measureWorkload(name)))
  const [{ server_version = '' } = {}] = await runSql(postgres.url, 'SHOW server_version')
  const info = await withRedis(redis.url, (client) => client.info('server'))
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    node: process.version,
    postgres: server_version.split(' ', 1)[0] ?? 'unknown',
    redis: /^redis_version:(\S+)/m.exec(info)?.[1] ?? 'unknown',
    loadAverage,
  }
  const takenAt = new Date().toISOString()
  return { takenAt, mode, machine, generations, secondsPerRound: seconds, cells, starts, stalls, growth }
}

console.log(`The servers' logs are in ${directory} until the run succeeds.`)
const run = await measure()
if (mode === 'guard') {
  process.exitCode = compare(run, JSON.parse(readFileSync(join(results, 'full.json'), 'utf8'))) ? 0 : 1
} else {
  printGoals(run)
  writeFileSync(join(results, `${mode}.json`), `${JSON.stringify(run, null, 2)}\n`)
  if (mode === 'full') writeFileSync(join(results, 'chart.svg'), renderChart(run))
}
rmSync(directory, { recursive: true })
