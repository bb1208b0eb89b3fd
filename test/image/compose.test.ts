import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { readConfig } from '../../src/config/config.ts'
import { root } from '../support/process.ts'

test('compose.yaml gives three replicas valid settings, trusts only the proxy, and publishes it on loopback', () => {
  // With its default ports.
  const text = readFileSync(join(root, 'compose.yaml'), 'utf8').replaceAll(/\$\{\w*PORTS?:-([\d-]+)\}/g, '$1')
  const { 'lead-intake': intake, migration, postgres, proxy } = parse(text, { merge: true }).services
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
