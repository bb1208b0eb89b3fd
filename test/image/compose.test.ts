import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { readConfig } from '../../src/config/config.ts'
import { root } from '../support/process.ts'

interface ComposeService {
  build?: object
  environment?: Record<string, string | number>
  depends_on?: Record<string, { condition: string }>
  deploy?: { replicas: number }
  ports?: string[]
  volumes?: string[]
  networks?: { default: { ipv4_address: string } }
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  stop_grace_period?: string
  healthcheck?: object
}

const text = readFileSync(join(root, 'compose.yaml'), 'utf8')
/** With the default ports. */
const compose = parse(text.replaceAll(/\$\{(?:PORT|INTERNAL_PORTS):-([\d-]+)\}/g, '$1'), { merge: true })
const services: Record<string, ComposeService> = compose.services
const service = (name: string): ComposeService => services[name] ?? assert.fail(`compose.yaml has no ${name}`)
const environmentOf = (name: string) =>
  Object.fromEntries(Object.entries(service(name).environment ?? {}).map(([key, value]) => [key, String(value)]))

describe('compose.yaml', () => {
  test('gives three replicas valid settings, and trusts only the proxy', () => {
    const settings = environmentOf('lead-intake')
    const config = readConfig(settings)
    assert.deepEqual([service('lead-intake').deploy?.replicas, settings.REPLICAS], [3, '3'])
    assert.equal(config.redis?.kind, 'single')
    assert.equal(settings.TRUSTED_PROXIES, service('proxy').networks?.default.ipv4_address)
    assert.equal(environmentOf('proxy').BASE_URL, config.baseUrl)
    assert.equal(environmentOf('migration').DATABASE_URL, config.databaseUrl)
    const { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: database } = environmentOf('postgres')
    assert.equal(config.databaseUrl, `postgres://${user}:${password}@postgres:5432/${database}`)
    const template = readFileSync(join(root, 'deploy/nginx/lead-intake.conf.template'), 'utf8')
    assert.match(template, /listen 8080 default_server;[\s\S]*set \$replicas lead-intake;/)
  })

  test("publishes only the proxy and the replicas' internal listeners, on loopback, at ports that can be chosen", () => {
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]))
    assert.deepEqual(published, [
      ['proxy', '127.0.0.1:8080:8080'],
      ['lead-intake', '127.0.0.1:9090-9092:9090'],
    ])
    assert.equal(readConfig(environmentOf('lead-intake')).internal.host, '0.0.0.0')
    assert.equal(text.match(/127\.0\.0\.1:\$\{PORT:-8080\}:8080/g)?.length, 1)
    assert.equal(text.match(/BASE_URL: http:\/\/localhost:\$\{PORT:-8080\}/g)?.length, 2)
  })

  test('starts each part when its dependencies are ready, from files and volumes that exist', () => {
    for (const [name, { depends_on = {}, volumes = [] }] of Object.entries(services)) {
      for (const [needed, { condition }] of Object.entries(depends_on))
        assert(condition !== 'service_healthy' || service(needed).healthcheck, `${name} needs the health of ${needed}`)
      for (const [source = ''] of volumes.map((volume) => volume.split(':')))
        assert(source.startsWith('.') ? existsSync(join(root, source)) : source in compose.volumes, source)
    }
    assert.equal(service('lead-intake').depends_on?.migration?.condition, 'service_completed_successfully')
    assert.deepEqual(service('migration').build, service('lead-intake').build)
  })

  test('runs every container read-only, and all but nginx without capabilities', () => {
    for (const [name, { read_only, cap_drop, security_opt }] of Object.entries(services)) {
      assert.deepEqual([read_only, security_opt], [true, ['no-new-privileges:true']], name)
      if (name !== 'proxy') assert.deepEqual(cap_drop, ['ALL'], name)
    }
    assert.equal(service('lead-intake').stop_grace_period, '30s')
  })
})
