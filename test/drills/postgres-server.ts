import { GenericContainer, Wait } from 'testcontainers'
import { postgresImage } from '../support/backends.ts'
import { type Controls, controlsOf, startContainer } from '../support/container.ts'
import { freePorts } from '../support/ports.ts'
import { within } from '../support/until.ts'

const user = 'postgres'
const data = '/var/lib/postgresql/data'
const password = 'drill'

/** A dedicated PostgreSQL with the same port inside and outside its container, across restarts. */
export interface PostgresServer extends Controls, AsyncDisposable {
  port: number
  /** The database URL, at its own port or at that of a proxy in front of it. */
  urlAt(port: number): string
}

/** A PostgreSQL with its tables on a small disk and its WAL elsewhere. */
export interface SmallDiskPostgres extends PostgresServer {
  fill(): Promise<void>
  clear(): Promise<void>
}

/** A primary, and a standby that confirms each commit, in one container. */
export interface PostgresPair extends PostgresServer {
  standbyPort: number
  /** Kills the primary. The standby stays read-only. */
  killPrimary(): Promise<void>
  /** Promotes the standby. */
  promote(): Promise<void>
}

const credentials = { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: 'leads' }
const urlAt = (port: number) => `postgres://${user}:${password}@127.0.0.1:${port}/leads`
/** On its first start, the image starts the server twice: the first time to set up the database. */
const started = Wait.forLogMessage(/database system is ready to accept connections/, 2)

function define(ports: readonly number[]) {
  return new GenericContainer(postgresImage)
    .withEnvironment(credentials)
    .withExposedPorts(...ports.map((port) => ({ container: port, host: port })))
    .withWaitStrategy(started)
}

async function serve(port: number, definition: () => GenericContainer) {
  const container = await startContainer(definition)
  const server: PostgresServer = {
    ...(await controlsOf(container)),
    port,
    urlAt,
    [Symbol.asyncDispose]: async () => {
      await container.stop()
    },
  }
  return { container, server }
}

export async function startPostgresServer(): Promise<PostgresServer> {
  const [port] = (await freePorts(1)) as [number]
  return (await serve(port, () => define([port]).withCommand(['postgres', '-p', `${port}`]))).server
}

export async function startSmallDiskPostgres(): Promise<SmallDiskPostgres> {
  const [port] = (await freePorts(1)) as [number]
  const { container, server } = await serve(port, () =>
    define([port])
      .withEnvironment({ ...credentials, POSTGRES_INITDB_WALDIR: '/tmp/wal' })
      .withTmpFs({ [data]: 'rw,size=96m' })
      .withCommand(['postgres', '-p', `${port}`]),
  )
  return {
    ...server,
    // Fails, because the disk is full.
    fill: async () => void (await container.exec(['dd', 'if=/dev/zero', `of=${data}/ballast`, 'bs=4k'])),
    clear: async () => void (await container.exec(['rm', `${data}/ballast`])),
  }
}

export async function startPostgresPair(): Promise<PostgresPair> {
  const [port, standbyPort] = (await freePorts(2)) as [number, number]
  // The first process is a shell, so that the container survives the primary.
  const command = `docker-entrypoint.sh postgres -p ${port} & exec sleep 3600`
  const { container, server } = await serve(port, () => define([port, standbyPort]).withCommand(['sh', '-c', command]))
  const run = async (script: string) => {
    const { exitCode, output } = await within(
      60_000,
      script,
      container.exec(['sh', '-ec', script], { user: 'postgres' }),
    )
    if (exitCode !== 0) throw new Error(output)
  }
  await run(`
    pg_basebackup -h 127.0.0.1 -p ${port} -U ${user} -D /tmp/standby -R -c fast
    pg_ctl -D /tmp/standby -o '-p ${standbyPort}' -l /tmp/standby.log -w start
    psql -p ${port} -U ${user} -c "ALTER SYSTEM SET synchronous_standby_names = '*'" -c 'SELECT pg_reload_conf()'
    until psql -p ${port} -U ${user} -Atc 'SELECT sync_state FROM pg_stat_replication' | grep -q sync; do sleep 0.1; done`)
  return {
    ...server,
    standbyPort,
    killPrimary: () => run('kill -9 $(head -1 $PGDATA/postmaster.pid)'),
    promote: () => run('pg_ctl -D /tmp/standby -w promote'),
  }
}
