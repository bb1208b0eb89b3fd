import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers'
import { createAuthority } from '../rpc/certificates.ts'
import { postgresImage, redisImage, skipWithoutEngine } from '../support/backends.ts'
import { startContainer } from '../support/container.ts'
import { freshClient, get, post } from '../support/http.ts'
import { newLead } from '../support/load.ts'
import { run, runService } from '../support/process.ts'
import { skipWithout } from '../support/tools.ts'
import { until } from '../support/until.ts'

/**
 * As described in docs/kubernetes.md: PostgreSQL and Redis use TLS with certificates signed by the business's own CA.
 */
suite('a private CA', { skip: skipWithoutEngine || skipWithout('openssl') }, () => {
  const authority = createAuthority('the business')
  const folder = mkdtempSync(join(tmpdir(), 'private-ca-'))
  const ca = join(folder, 'ca.crt')
  writeFileSync(ca, authority.cert)
  const { cert, key } = authority.issue('127.0.0.1')
  const containers: StartedTestContainer[] = []
  let databaseUrl = ''
  let redisUrl = ''

  before(async () => {
    const define = (image: string, script: string) =>
      new GenericContainer(image)
        .withCopyContentToContainer([
          { content: cert, target: '/tmp/server.crt', mode: 0o644 },
          { content: key, target: '/tmp/server.key', mode: 0o644 },
          { content: authority.cert, target: '/tmp/ca.crt', mode: 0o644 },
        ])
        .withCommand(['sh', '-c', script])
    const [postgres, redis] = await Promise.all([
      startContainer(() =>
        define(
          postgresImage,
          `install -o postgres -m 600 /tmp/server.key /tmp/postgres.key
           exec docker-entrypoint.sh postgres -c ssl=on -c ssl_cert_file=/tmp/server.crt -c ssl_key_file=/tmp/postgres.key`,
        )
          .withEnvironment({ POSTGRES_PASSWORD: 'of-a-test-only', POSTGRES_DB: 'leads' })
          .withExposedPorts(5432)
          .withWaitStrategy(Wait.forLogMessage(/database system is ready to accept connections/, 2)),
      ),
      startContainer(() =>
        define(
          redisImage,
          `exec redis-server --port 0 --tls-port 6379 --tls-cert-file /tmp/server.crt --tls-key-file /tmp/server.key \
             --tls-ca-cert-file /tmp/ca.crt --tls-auth-clients no --protected-mode no --save ''`,
        )
          .withExposedPorts(6379)
          .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/)),
      ),
    ])
    containers.push(postgres, redis)
    databaseUrl = `postgres://postgres:of-a-test-only@127.0.0.1:${postgres.getMappedPort(5432)}/leads?sslmode=verify-full`
    redisUrl = `rediss://127.0.0.1:${redis.getMappedPort(6379)}`
  })
  after(async () => {
    await Promise.all(containers.map((container) => container.stop()))
    authority.dispose()
    rmSync(folder, { recursive: true })
  })

  test('named by sslrootcert or NODE_EXTRA_CA_CERTS is trusted by the connections to PostgreSQL and Redis', async () => {
    const settings = { REDIS_URL: redisUrl, NODE_EXTRA_CA_CERTS: ca, TRUSTED_PROXIES: 'loopback' }
    for (const DATABASE_URL of [`${databaseUrl}&sslrootcert=${ca}`, databaseUrl]) {
      const service = await runService({ ...settings, DATABASE_URL })
      try {
        // On a busy machine, Redis may be too slow for some of them.
        await until('a lead is stored and counted in Redis', async () => {
          const { status } = await post(service.url, newLead(), { client: freshClient() })
          const { text } = await get(`${service.opsUrl}/metrics`)
          return status === 201 && /decisions_total\{mode="shared",result="allowed"\} [1-9]/.test(text)
        })
        const client = new pg.Client({ connectionString: `${databaseUrl}&sslrootcert=${ca}` })
        await client.connect()
        const { rows } = await client.query(
          "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'lead-intake'",
        )
        await client.end()
        assert.deepEqual(rows, [{ ssl: true }])
      } finally {
        await service.dispose()
      }
    }
  })

  test('that is not configured is not trusted, and the service says so', async () => {
    const service = await run(['node', 'src/main.ts'], { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl })
    try {
      const fault = /unable to verify the first certificate|UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT/
      await until('the log says so', () => fault.test(service.output()))
    } finally {
      await service.dispose()
    }
  })
})
