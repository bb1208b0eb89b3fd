import { GenericContainer, Wait } from 'testcontainers'
import type { Identity } from '../rpc/certificates.ts'
import { postgresImage } from '../support/backends.ts'
import { controlsOf, startContainer } from '../support/container.ts'
import { freePorts } from '../support/ports.ts'
import { within } from '../support/until.ts'

const user = 'postgres'
const password = 'drill'

async function serve(ports: readonly [number, ...number[]], command: readonly string[], env = {}) {
  const container = await startContainer(() =>
    new GenericContainer(postgresImage)
      .withEnvironment({ POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: 'leads', ...env })
      .withExposedPorts(...ports.map((port) => ({ container: port, host: port })))
      // On its first start, the image starts the server twice: the first time to set up the database.
      .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2))
      .withCommand([...command]),
  )
  return { container, [Symbol.asyncDispose]: async () => void (await container.stop()) }
}

/** The database URL at a port, of the server or of a proxy in front of it. */
const urlAt = (port: number) => `postgres://${user}:${password}@127.0.0.1:${port}/leads`

/** A dedicated PostgreSQL with the same port inside and outside its container. */
export async function startPostgresServer() {
  const [port] = (await freePorts(1)) as [number]
  const server = await serve([port], ['postgres', '-p', `${port}`])
  return { ...server, ...(await controlsOf(server.container)), url: urlAt(port) }
}

/** A PostgreSQL that only accepts TLS, with this certificate. */
export async function startTlsPostgres({ cert, key }: Identity) {
  const [port] = (await freePorts(1)) as [number]
  const files =
    'cd /tmp; umask 077; echo "$CERT" >cert; echo "$KEY" >key; echo "hostssl all all all scram-sha-256" >hba'
  const options = '-c ssl=on -c ssl_cert_file=/tmp/cert -c ssl_key_file=/tmp/key -c hba_file=/tmp/hba'
  const script = `${files}; chown postgres cert key hba; exec docker-entrypoint.sh postgres -p ${port} ${options}`
  const server = await serve([port], ['sh', '-ec', script], { CERT: cert, KEY: key })
  return { ...server, url: `${urlAt(port)}?sslmode=verify-full` }
}

/** A primary, and a standby that confirms each commit, unless it is asynchronous, in one container. */
export async function startPostgresPair({ synchronous = true } = {}) {
  const [port, standbyPort] = (await freePorts(2)) as [number, number]
  // The first process is a shell, so that the container survives the primary.
  const command = ['sh', '-c', `docker-entrypoint.sh postgres -p ${port} & exec sleep 3600`]
  const server = await serve([port, standbyPort], command)
  /** Runs a script next to the servers. */
  const run = async (script: string) => {
    const done = server.container.exec(['sh', '-ec', script], { user: 'postgres' })
    const { exitCode, output } = await within(60_000, script, done)
    if (exitCode !== 0) throw new Error(output)
  }
  await run(`
    pg_basebackup -h 127.0.0.1 -p ${port} -U ${user} -D /tmp/standby -R -c fast
    pg_ctl -D /tmp/standby -o '-p ${standbyPort}' -l /tmp/standby.log -w start
    psql -p ${port} -U ${user} -c "ALTER SYSTEM SET synchronous_standby_names = '${synchronous ? '*' : ''}'" -c 'SELECT pg_reload_conf()'
    until psql -p ${port} -U ${user} -Atc 'SELECT sync_state FROM pg_stat_replication' | grep -qx ${synchronous ? 'sync' : 'async'}; do sleep 0.1; done`)
  return {
    ...server,
    ...{ port, standbyPort, urlAt },
    /** The standby has what was committed so far, and gets no more. */
    disconnect: () =>
      run(`
        lsn=$(psql -p ${port} -U ${user} -Atc 'SELECT pg_current_wal_flush_lsn()')
        until psql -p ${standbyPort} -U ${user} -Atc "SELECT pg_last_wal_replay_lsn() >= '$lsn'" | grep -qx t; do sleep 0.1; done
        psql -p ${standbyPort} -U ${user} -c "ALTER SYSTEM SET primary_conninfo = ''" -c 'SELECT pg_reload_conf()'
        until psql -p ${standbyPort} -U ${user} -Atc 'SELECT count(*) FROM pg_stat_wal_receiver' | grep -qx 0; do sleep 0.1; done`),
    /** The standby stays read-only. */
    killPrimary: () => run('kill -9 $(head -1 $PGDATA/postmaster.pid)'),
    promote: () => run('pg_ctl -D /tmp/standby -w promote'),
  }
}
