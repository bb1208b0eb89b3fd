import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { buildGoProgram } from '../test/support/go-program.ts'
import {
  type Backend,
  createDatabase,
  flushRedis,
  readDurability,
  readVersions,
  startPostgres,
  startRedis,
} from './backend.ts'
import { type Contestant, type ContestantName, contestants, titleOf } from './contestants.ts'
import { rounds } from './measure/estimate.ts'
import { takeSample } from './measure/sample.ts'
import { measureStalls, type Stalls } from './measure/stall.ts'
import { measureStart } from './measure/start.ts'
import type { Plan } from './plan.ts'
import type { Cell, Results } from './report/results.ts'
import { explainWithoutGo } from './requirements.ts'
import { encodeGrpcQuote } from './sample-quote.ts'
import { type Server, type ServerOptions, startServer } from './server.ts'
import { verifyGrpcServer, verifyServer } from './verify.ts'
import { grpcBodyFile, type WorkloadName, workloads } from './workloads.ts'

/** The environment of a run. Everything started is stopped with `stack`. */
export interface Session {
  plan: Plan
  /** An empty folder for this run. */
  directory: string
  stack: AsyncDisposableStack
  say(line: string): void
}

/** Starts the servers, measures them in interleaved rounds and returns the results. Rejects when a check fails. */
export async function runSession({ plan, directory, stack, say }: Session): Promise<Results> {
  const loadAverage = loadavg()[0] as number
  mkdirSync(directory, { recursive: true })
  const redis = stack.use(await startRedis())
  const postgres = stack.use(await startPostgres())
  say(`Redis: image ${redis.image}; PostgreSQL: image ${postgres.image}`)
  const durability = await readDurability(postgres, redis, directory)
  const settings = Object.entries(durability.settings).map(([name, value]) => `${name} = ${value}`)
  say(`${settings.join(', ')}; data on ${durability.fileSystem}, fdatasync ${durability.fdatasyncMs.toFixed(2)} ms`)

  const planned = listCells(plan)
  const withoutGo = planned.some(isInGo) ? explainWithoutGo() : undefined
  if (withoutGo) say(withoutGo)
  const cells = withoutGo ? planned.filter((cell) => !isInGo(cell)) : planned
  const servers = new Map<ContestantName, Server>()
  const starts: Results['starts'] = {}
  const documentFile = join(directory, 'openapi.json')
  writeFileSync(join(directory, grpcBodyFile), encodeGrpcQuote())
  for (const name of Object.keys(contestants) as ContestantName[]) {
    if (!cells.some(({ contestant }) => contestant === name)) continue
    const options = await optionsOf(name, { redis, postgres, directory, documentFile })
    const server = stack.use(await startServer(options))
    servers.set(name, server)
    if (name === 'lead-intake') writeFileSync(documentFile, await readDocument(server))
    if (workloads.submit.contestants.some((contestant) => contestant === name)) {
      await flushRedis(redis.url)
      await verifyServer(server, titleOf(options.contestant))
    }
    if (workloads.grpc.contestants.some((contestant) => contestant === name)) {
      await verifyGrpcServer(server, titleOf(options.contestant))
    }
    if (plan.starts.includes(name)) starts[name] = await measureStart(options)
    say(`started ${titleOf(options.contestant)}`)
  }

  const stalls = plan.hasStalls ? await readStalls(redis, postgres, directory) : undefined
  if (stalls) say('sent the worst requests that are known')

  for (const { workload, contestant } of cells) {
    const server = servers.get(contestant) as Server
    await workloads[workload].load({ server, name: contestant, seconds: plan.warmUpSeconds, directory })
  }
  for (let round = 1; round <= rounds; round++) {
    say(`round ${round} of ${rounds}`)
    // Reverse every other round, so that no server always comes first or always follows the same one.
    for (const cell of round % 2 === 1 ? cells : cells.toReversed()) {
      const sample = await takeSample({
        workload: workloads[cell.workload],
        name: cell.contestant,
        server: servers.get(cell.contestant) as Server,
        redis,
        postgres,
        seconds: plan.secondsPerRound,
        directory,
      })
      cell.samples.push(sample)
    }
  }

  return {
    takenAt: new Date().toISOString(),
    mode: plan.mode,
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      node: process.version,
      ...(await readVersions(postgres, redis)),
      loadAverage,
    },
    durability,
    secondsPerRound: plan.secondsPerRound,
    cells,
    starts,
    ...(stalls && { stalls }),
  }
}

/** Uses a separate service without a rate limit, because the requests come from one client. */
async function readStalls(redis: Backend, postgres: Backend, directory: string): Promise<Stalls> {
  const service = contestants['lead-intake-repeats']
  await using server = await startServer({
    contestant: { ...service, env: { ...service.env, RATE_LIMIT: '1000000' } },
    databaseUrl: await createDatabase(postgres.url, 'stalls'),
    redisUrl: redis.url,
    documentFile: '',
    logFile: join(directory, 'stalls.log'),
  })
  return await measureStalls(server)
}

function isInGo({ contestant }: Cell): boolean {
  const { language }: Contestant = contestants[contestant]
  return language === 'go'
}

function listCells(plan: Plan): Cell[] {
  return (Object.keys(workloads) as WorkloadName[]).flatMap((workload) => {
    const names: readonly ContestantName[] = workloads[workload].contestants
    return names
      .filter((contestant) => plan.includes(workload, contestant))
      .map((contestant) => ({ workload, contestant, samples: [] }))
  })
}

async function optionsOf(
  name: ContestantName,
  run: { redis: Backend; postgres: Backend; directory: string; documentFile: string },
): Promise<ServerOptions> {
  const contestant: Contestant = contestants[name]
  const source = join(import.meta.dirname, contestant.entry)
  return {
    contestant,
    ...(contestant.language === 'go' && { binary: buildGoProgram(source, join(run.directory, name, 'build')) }),
    databaseUrl: await createDatabase(run.postgres.url, name),
    redisUrl: run.redis.url,
    documentFile: run.documentFile,
    logFile: join(run.directory, `${name}.log`),
  }
}

async function readDocument(server: Server): Promise<Uint8Array> {
  const response = await fetch(`${server.publicUrl}/openapi.json`)
  return new Uint8Array(await response.arrayBuffer())
}
