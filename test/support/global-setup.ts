// Runs once per test run: bundles the service, installs the packages that only tests need, and starts Redis and
// PostgreSQL in containers unless the caller provides servers. Test files are separate processes, which find the
// servers through environment variables.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PostgreSqlContainer } from '@testcontainers/postgresql'
import { GenericContainer, type StartedTestContainer, Wait } from 'testcontainers'
import { postgresImage, redisImage, variables } from './backends.ts'
import { startContainer } from './container.ts'

const root = join(import.meta.dirname, '../..')
const started: StartedTestContainer[] = []

async function startRedis(): Promise<string> {
  const container = await startContainer(() =>
    new GenericContainer(redisImage)
      // A separate database for each test that needs one.
      .withCommand(['redis-server', '--databases', '10000', '--save', '', '--appendonly', 'no'])
      .withExposedPorts(6379)
      .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/)),
  )
  started.push(container)
  return `redis://${container.getHost()}:${container.getMappedPort(6379)}`
}

async function startPostgres(): Promise<string> {
  const container = await startContainer(() =>
    new PostgreSqlContainer(postgresImage)
      .withTmpFs({ '/var/lib/postgresql/data': 'rw' })
      .withCommand(['postgres', '-c', 'max_connections=300']),
  )
  started.push(container)
  return container.getConnectionUri()
}

export async function globalSetup(): Promise<void> {
  // Service processes run from the bundle: that is what runs in production, and it takes a third of the time to start.
  execFileSync(process.execPath, ['scripts/build.ts', '--if-stale'], { cwd: root })
  for (const folder of ['examples/leads-to-mail', 'test/generators']) {
    // npm writes this file last. Without the packages, the tests that need them say so.
    if (existsSync(join(root, folder, 'node_modules/.package-lock.json'))) continue
    console.log(`Installing the packages of ${folder} …`)
    spawnSync('npm', ['ci', '--no-audit', '--prefix', folder], { cwd: root, stdio: 'inherit' })
  }
  process.env[variables.bundle] = 'dist/main.js'
  try {
    const [redis, postgres] = await Promise.all([
      process.env.REDIS_URL ?? startRedis(),
      process.env.DATABASE_URL ?? startPostgres(),
    ])
    process.env[variables.redis] = redis
    process.env[variables.postgres] = postgres
    // Each test configures its service. The caller's environment must not affect it.
    delete process.env.REDIS_URL
    delete process.env.DATABASE_URL
  } catch (error) {
    if (process.env.CI === 'true') throw error
    process.env[variables.engine] = 'missing'
    console.error(`
*** Redis and PostgreSQL could not be started: every test that needs them is SKIPPED. ***
*** ${error instanceof Error ? error.message : error}
*** Run them with a container engine (Docker), or set REDIS_URL and DATABASE_URL to servers that may be written to.
`)
  }
}

export async function globalTeardown(): Promise<void> {
  await Promise.all(started.map((container) => container.stop()))
}
