import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { readConfig } from '../../src/config/config.ts'
import { root } from '../support/process.ts'

/** The services of a Compose file, with its default ports. */
const servicesOf = (file: string) =>
  parse(readFileSync(join(root, file), 'utf8').replaceAll(/\$\{\w*PORTS?:-([\d-]+)\}/g, '$1'), { merge: true }).services

test('compose.yaml gives three replicas valid settings, trusts only the proxy, and publishes it on loopback', () => {
  const { 'lead-intake': intake, migration, postgres, proxy } = servicesOf('compose.yaml')
  const config = readConfig(
    Object.fromEntries(Object.entries(intake.environment).map(([key, value]) => [key, `${value}`])),
  )
  assert.deepEqual([intake.deploy.replicas, `${intake.environment.REPLICAS}`], [3, '3'])
  assert.equal(config.redis?.kind, 'single')
  assert.equal(intake.environment.TRUSTED_PROXIES, proxy.networks.default.ipv4_address)
  assert.equal(proxy.environment.BASE_URL, config.baseUrl)
  assert.equal(migration.environment.DATABASE_URL, config.databaseUrl)
  const { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: database } = postgres.environment
  assert.equal(config.databaseUrl, `postgres://${user}:${password}@postgres:5432/${database}`)
  assert.deepEqual([proxy.ports, intake.ports], [['127.0.0.1:8080:8080'], ['127.0.0.1:9090-9092:9090']])
})

test('every container of a Compose file is read-only, and all but nginx have no capabilities', () => {
  for (const file of ['compose.yaml', 'deploy/vm/compose.yaml'])
    for (const [name, { read_only, cap_drop, security_opt }] of Object.entries<Record<string, unknown>>(
      servicesOf(file),
    )) {
      const hardened = [true, ['no-new-privileges:true'], name === 'proxy' ? undefined : ['ALL']]
      assert.deepEqual([read_only, security_opt, cap_drop], hardened, name)
    }
})
