import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { readConfig } from '../../src/config/config.ts'
import { root } from '../support/process.ts'

const text = readFileSync(join(root, 'compose.yaml'), 'utf8')
/** With the default ports. */
const { services } = parse(text.replaceAll(/\$\{(?:PORT|INTERNAL_PORTS):-([\d-]+)\}/g, '$1'), { merge: true })
const environmentOf = (name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(services[name].environment).map(([key, value]) => [key, String(value)]))

describe('compose.yaml', () => {
  test('gives three replicas valid settings, and trusts only the proxy', () => {
    const settings = environmentOf('lead-intake')
    const config = readConfig(settings)
    assert.deepEqual([services['lead-intake'].deploy.replicas, settings.REPLICAS], [3, '3'])
    assert.equal(config.redis?.kind, 'single')
    assert.equal(settings.TRUSTED_PROXIES, services.proxy.networks.default.ipv4_address)
    assert.equal(environmentOf('proxy').BASE_URL, config.baseUrl)
    assert.equal(environmentOf('migration').DATABASE_URL, config.databaseUrl)
    const { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: database } = environmentOf('postgres')
    assert.equal(config.databaseUrl, `postgres://${user}:${password}@postgres:5432/${database}`)
  })

  test("publishes only the proxy and the replicas' internal listeners, on loopback", () => {
    for (const [name, { ports = [] }] of Object.entries<{ ports?: string[] }>(services)) {
      const expected = { proxy: ['127.0.0.1:8080:8080'], 'lead-intake': ['127.0.0.1:9090-9092:9090'] }[name] ?? []
      assert.deepEqual(ports, expected, name)
    }
  })

  test('runs every container read-only, and all but nginx without capabilities', () => {
    for (const [name, { read_only, cap_drop, security_opt }] of Object.entries<Record<string, unknown>>(services)) {
      const hardened = [true, ['no-new-privileges:true'], name === 'proxy' ? undefined : ['ALL']]
      assert.deepEqual([read_only, security_opt, cap_drop], hardened, name)
    }
  })
})
