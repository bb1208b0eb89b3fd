// `npm run bench [-- --quick] [-- --against COMMIT]`: measures the servers in interleaved generations, prints the
// verdicts, and writes results/. Throws at the first wrong answer.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Answer, get, metricOf, post } from '../test/support/http.ts'
import { inboxClient } from '../test/support/service.ts'
import { measureGrowth } from './growth.ts'
import type { Outcome } from './load.ts'
import { type Idle, type Overload, type Results, renderGoals, type Sample } from './report.ts'
import * as servers from './servers.ts'
import { type Group, groups, overloadConnections, quote, submit, type Workload } from './workloads.ts'

type Name = servers.ContestantName
const { values: options } = parseArgs({ options: { quick: { type: 'boolean' }, against: { type: 'string' } } })
// Two processes of one program may differ by a third, so every generation starts all servers
// anew. Of six values, the lowest and the highest have the true median between them in 97 of 100 runs.
const generations = options.quick ? 1 : 6
// V8 compiles what leads need until a process has stored about 20,000.
const seconds = { warm: 1.5, warmLeads: 4, closed: 1, open: 1.5, overload: 1.5, leadIn: 1.5, idle: 3 }
const root = join(import.meta.dirname, '..')
const results = join(import.meta.dirname, 'results')
// Whatever was started ends with this process, however this one ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
const hangMinutes = 25
setTimeout(() => assert.fail(`not finished within ${hangMinutes} minutes`), hangMinutes * 60_000).unref()
// On a disk, not under /tmp, which may be in memory.
const directory = join(import.meta.dirname, 'data', String(process.pid))
for (const folder of [directory, results]) mkdirSync(folder, { recursive: true })
const build = (folder: string) =>
  execFileSync(process.execPath, [join(folder, 'scripts/build.ts')], { cwd: folder, stdio: 'inherit' })
build(root)
if (options.against) checkOut(options.against, join(import.meta.dirname, 'data/before'))

/** Builds an earlier commit, with the packages of this one. */
function checkOut(commit: string, folder: string): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'inherit' })
  rmSync(folder, { recursive: true, force: true })
  git('worktree', 'add', '--force', '--detach', folder, commit)
  process.once('exit', () => git('worktree', 'remove', '--force', folder))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  build(folder)
}

const loadAverage = loadavg()[0] as number
const redis = await servers.startRedis()
const postgres = await servers.startPostgres()

/** Answers of the service, which bare Koa repeats. */
const answersFile = join(directory, 'answers.json')
let databases = 0

/** Starts a server with a new database. For a peer, with its table; the service sets up its own. */
async function start(name: Name, env: Readonly<Record<string, string>> = {}, databaseUrl?: string) {
  const { href } = new URL(`/bench_${++databases}`, postgres.url)
  if (!databaseUrl) await servers.runSql(postgres.url, `CREATE DATABASE bench_${databases}`)
  const file = name === 'fastify-same' ? 'fastify-same.sql' : 'lead-table.sql'
  const table = readFileSync(join(import.meta.dirname, 'peer', file), 'utf8')
  if (!databaseUrl && !servers.isService(name)) await servers.runSql(href, table)
  const urls = { DATABASE_URL: databaseUrl ?? href, REDIS_URL: redis.url }
  return await servers.startServer(name, directory, { ...urls, ANSWERS_FILE: answersFile, ...env })
}

/** A REST server stores a row, answers 201 with the headers, and refuses a quote without consent and request eleven. */
async function verifyRest({ publicUrl, databaseUrl }: servers.Server): Promise<Answer> {
  // An address that no load uses.
  const send = (body: object) => post(publicUrl, body, { client: '192.0.2.2' })
  const created = await send(quote)
  assert.equal(created.status, 201)
  assert.equal(created.headers.get('ratelimit-remaining'), '9')
  assert.equal(await servers.countLeads(databaseUrl), 1)
  assert.match(String((await send({ ...quote, communicationsConsent: false })).status), /^4(00|22)$/)
  for (let request = 3; request <= 10; request++) await send({})
  const refused = await send(quote)
  assert.equal(refused.status, 429)
  assert(Number(refused.headers.get('retry-after')) >= 1)
  return refused
}

/** The header fields that Node and Koa add to any answer. */
const addedFields = /^(connection|content-length|date|keep-alive)$/

/** Saves what the service answers to the requests that bare Koa also gets. */
async function recordAnswers({ publicUrl }: servers.Server, refusal: Answer): Promise<void> {
  const fieldsOf = (headers: Headers) => Object.fromEntries([...headers].filter(([name]) => !addedFields.test(name)))
  const record = ({ status, headers, text: body }: Answer) => ({ status, fields: fieldsOf(headers), body })
  const document = await get(`${publicUrl}/openapi.json`, { 'accept-encoding': 'identity' })
  writeFileSync(answersFile, JSON.stringify({ refusal: record(refusal), document: record(document) }))
}

/** Makes rounds start equally far from the next checkpoint, and with no client counted. */
async function settle(): Promise<void> {
  await servers.withRedis(redis.url, (client) => client.flushall())
  await servers.runSql(postgres.url, 'CHECKPOINT')
}

/** Loads a server. Returns its outcome, the rows it stored, and the CPU seconds of server, PostgreSQL and Redis. */
async function underLoad(server: servers.Server, load: () => Promise<Outcome>) {
  await settle()
  const rowsBefore = await servers.countLeads(server.databaseUrl).catch(() => 0)
  // The server process of the last connection ends.
  await delay(50)
  const counters = [server, postgres, redis].map(({ pid }) => servers.countCpu(pid))
  const outcome = await load()
  const cpu = counters.map((read) => read())
  const rows = (await servers.countLeads(server.databaseUrl).catch(() => 0)) - rowsBefore
  return { outcome, rows, cpu }
}

/** Runs one round. Throws when an answer is wrong, or when rows and acknowledgments differ. */
async function takeSample(name: string, workload: Workload, server: servers.Server, rate = workload.rate) {
  const forSeconds = rate === 0 ? seconds.closed : seconds.open
  const { outcome, rows, cpu } = await underLoad(server, () => workload.send(server, rate, forSeconds))
  const { statuses, unsent, broken, p50, p99 } = outcome
  const what = `${name}: ${JSON.stringify({ statuses, unsent, broken, rows })}`
  const answers = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  const good = answers - Object.entries(statuses).reduce((sum, [code, count]) => (code < '400' ? sum : sum + count), 0)
  assert(answers > 0 && broken === 0, what)
  // A window may end during a round.
  if (workload.counts === 'refusals') assert(good <= 20, what)
  else assert.equal(good, answers, what)
  // h2load ends with up to 64 requests pending.
  if (workload.counts === 'rows') assert(rows >= good && rows <= good + (name === 'gRPC' ? 64 : 0), what)
  const [ofServer, ofPostgres, ofRedis] = cpu.map((used) => (used / answers) * 1e6) as [number, number, number]
  const all = ofServer + ofPostgres + ofRedis
  return { perSecond: answers / outcome.seconds, p50, p99, server: ofServer, postgres: ofPostgres, redis: ofRedis, all }
}

/** What a service costs while nobody uses it. */
async function measureIdle({ pid }: servers.Server): Promise<Idle> {
  await delay(3_000)
  const [cpu, wakeUps] = [servers.countCpu(pid), servers.countWakeUps(pid)]
  await delay(seconds.idle * 1_000)
  const share = (cpu() / seconds.idle) * 100
  return { mebibytes: servers.mebibytesOf(pid), cpuPercent: share, wakeUps: wakeUps() / seconds.idle }
}

/** With `--against`, only the services of this commit and of an earlier one are measured. */
const contestantsOf = (workload: Workload): readonly Name[] =>
  options.against ? ['before', 'lead-intake'] : workload.contestants

const run: Results = {
  takenAt: new Date().toISOString(),
  against: options.against,
  machine: { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, node: process.version, loadAverage },
  generations,
  cells: [],
  starts: [],
  idle: [],
  overload: [],
  drain: [],
  growth: {},
}

/** Measures a group with new processes, in an order that changes with the generation. Only its servers run. */
async function measureGroup(groupName: string, group: Group, generation: number): Promise<void> {
  await using running = new AsyncDisposableStack()
  const workloads = Object.entries(group.workloads)
  const names = [...new Set(workloads.flatMap(([, workload]) => contestantsOf(workload)))]
  const shift = generation % names.length
  const order = [...names.slice(shift), ...names.slice(0, shift)]
  // Bare Koa repeats what the service answers.
  if (groupName === 'documents') order.sort((a, b) => Number(servers.isService(b)) - Number(servers.isService(a)))
  const started = new Map<Name, servers.Server>()
  for (const name of order) {
    const server = running.use(await start(name, group.env))
    started.set(name, server)
    if (groupName === 'RPC') continue
    if (groupName === 'REST' && /^(lead-intake|before)$/.test(name))
      run.idle.push({ contestant: name, ...(await measureIdle(server)) })
    if (name === 'bare-koa') continue
    const refusal = await verifyRest(server)
    if (name === 'lead-intake') await recordAnswers(server, refusal)
    if (name === 'lead-intake-followed') running.defer(follow(server))
  }
  // Warms up each kind of request once. A number after a workload's name does not change its kind.
  for (const [name, workload] of workloads.filter(([name]) => !/^submit \d/.test(name)))
    for (const contestant of name === 'submit' ? names : contestantsOf(workload)) {
      const forSeconds = name === 'submit' ? seconds.warmLeads : seconds.warm
      await workload.send(started.get(contestant) as servers.Server, name === 'gRPC' ? 3_000 : 0, forSeconds)
    }
  const commitMs = await servers.measureCommit(postgres.url)
  for (const [workload, one] of workloads)
    for (const contestant of order.filter((name) => contestantsOf(one).includes(name))) {
      const sample: Sample = await takeSample(workload, one, started.get(contestant) as servers.Server)
      run.cells.push({ workload, contestant, commitMs, sample })
    }
}

/** Follows the feed, and returns the function that ends it. */
function follow({ internalUrl }: servers.Server): () => Promise<void> {
  const leave = new AbortController()
  const reading = (async () => {
    for await (const _ of inboxClient(internalUrl).watchLeads({}, { signal: leave.signal }));
  })().catch(() => {})
  return async () => {
    leave.abort()
    await reading
  }
}

/** Offers twice what a service can do, over several numbers of connections, in an open loop. */
async function measureOverload(contestant: Name, generation: number): Promise<void> {
  await using server = await start(contestant)
  await submit(server, 0, seconds.warmLeads)
  const commitMs = await servers.measureCommit(postgres.url)
  const { outcome } = await underLoad(server, () => submit(server, 0, seconds.overload, 256, seconds.leadIn))
  const peak = outcome.good / outcome.seconds
  const shift = generation % overloadConnections.length
  for (const connections of [...overloadConnections.slice(shift), ...overloadConnections.slice(0, shift)]) {
    const load = () => submit(server, Math.round(peak * 2), seconds.overload, connections, seconds.leadIn)
    const { outcome, rows, cpu } = await underLoad(server, load)
    const { 201: stored = 0, 503: refused = 0, ...others } = outcome.statuses
    assert.deepEqual(others, {}, 'only 201 and 503')
    // A lead that was refused at the deadline, or got no answer, may have been stored.
    assert(rows >= stored && rows <= stored + refused + outcome.broken, `${rows} rows, ${stored} acknowledged`)
    const decided = 'lead_intake_limiter_decisions_total{mode="fallback",result="allowed"}'
    const fallbacks = (await metricOf(server.opsUrl, decided)) || 0
    const figures = { goodput: outcome.good / outcome.seconds, refused: refused / outcome.seconds, p99: outcome.p99 }
    const cpuOfAll = (cpu.reduce((sum, used) => sum + used, 0) / stored) * 1e6
    const one = { contestant, connections, peak, commitMs, fallbacks, cpu: cpuOfAll, broken: outcome.broken }
    run.overload.push({ ...one, ...figures } satisfies Overload)
  }
}

/** The service's CPU for a lead, of one more process. */
async function measureStart(): Promise<number> {
  await using server = await start('lead-intake')
  await submit(server, 0, seconds.warmLeads)
  return (await takeSample('submit', groups.REST.workloads.submit, server)).server
}

console.log(`The servers' logs are in ${directory} until the run succeeds.`)
for (let generation = 1; generation <= generations; generation++) {
  for (const [name, group] of Object.entries<Group>(groups)) await measureGroup(name, group, generation)
  const services: Name[] = options.against ? ['before', 'lead-intake'] : ['lead-intake']
  for (const name of generation % 2 ? services : services.toReversed()) await measureOverload(name, generation)
  const minutes = (Date.now() - Date.parse(run.takenAt)) / 60_000
  console.log(`generation ${generation} of ${generations}: ${minutes.toFixed(1)} minutes so far`)
}
if (!options.against) {
  for (let n = 0; n < (options.quick ? 2 : 10); n++) run.starts.push(await measureStart())
  const sizes = [1_000, options.quick ? 20_000 : 1_000_000] as const
  /** One client submits everything. */
  const startForGrowth = (databaseUrl: string) => start('lead-intake', { RATE_LIMIT: '1000000' }, databaseUrl)
  Object.assign(run, await measureGrowth(postgres, directory, sizes, options.quick ? 1 : 3, startForGrowth))
}
const table = renderGoals(run)
console.log(`\n${table}`)
const name = options.quick ? 'quick' : options.against ? 'against' : 'full'
writeFileSync(join(results, `${name}.json`), `${JSON.stringify(run, null, 1)}\n`)
if (name === 'full') {
  // The table of the document is what was printed.
  const path = join(root, 'docs/performance.md')
  const marks = /(?<=<!-- full -->\n).*?(?=<!-- \/full -->)/s
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(marks, () => `${table}\n`),
  )
}
rmSync(directory, { recursive: true })
// Nothing that is still open, such as a connection, has anything to add.
process.exit()
