import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { readConfig } from '../../src/config/config.ts'

const projectRoot = join(import.meta.dirname, '../..')

interface ComposeService {
  image: string
  build?: { context: string; args: Record<string, string> }
  entrypoint?: string[]
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
  healthcheck?: { test?: string[] }
}

interface Compose {
  services: Record<string, ComposeService>
  volumes: Record<string, unknown>
}

const text = readFileSync(join(projectRoot, 'compose.yaml'), 'utf8')
/** With the default ports. */
const compose: Compose = parse(text.replaceAll(/\$\{(?:PORT|INTERNAL_PORTS):-([\d-]+)\}/g, '$1'), { merge: true })
const { services } = compose
const service = (name: string): ComposeService => services[name] ?? assert.fail(`compose.yaml has no ${name}`)
const environmentOf = (name: string) =>
  Object.fromEntries(Object.entries(service(name).environment ?? {}).map(([key, value]) => [key, String(value)]))

/** A variable of Compose, and its default. */
function readVariable(text: string): [name: string, fallback: string] {
  const [, name = '', fallback = ''] = /^\$\{(\w+):-(.+)\}$/.exec(text) ?? []
  return [name, fallback]
}

describe('compose.yaml', () => {
  test('runs three replicas behind a proxy, with one Redis and one PostgreSQL', () => {
    assert.deepEqual(Object.keys(services).sort(), ['lead-intake', 'migration', 'postgres', 'proxy', 'redis'])
    assert.equal(service('lead-intake').deploy?.replicas, 3)
    assert.equal(environmentOf('lead-intake').REPLICAS, '3')
  })

  test('gives the service valid settings, and trusts only the proxy', () => {
    const config = readConfig(environmentOf('lead-intake'))
    assert.match(config.databaseUrl, /@postgres:5432\//)
    assert.equal(config.redis?.kind, 'single')
    assert.equal(environmentOf('lead-intake').TRUSTED_PROXIES, service('proxy').networks?.default.ipv4_address)
    assert.equal(environmentOf('proxy').BASE_URL, config.baseUrl)
    assert.equal(environmentOf('migration').DATABASE_URL, config.databaseUrl)
    const { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: database } = environmentOf('postgres')
    assert.equal(config.databaseUrl, `postgres://${user}:${password}@postgres:5432/${database}`)
  })

  test("publishes only the proxy and the replicas' internal listeners, on loopback", () => {
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]))
    assert.deepEqual(published, [
      ['proxy', '127.0.0.1:8080:8080'],
      ['lead-intake', '127.0.0.1:9090-9092:9090'],
    ])
    const { internal, baseUrl } = readConfig(environmentOf('lead-intake'))
    assert.deepEqual([internal.host, baseUrl], ['0.0.0.0', 'http://localhost:8080'])
  })

  test('accepts other ports, and uses them in links', () => {
    assert.equal(text.match(/127\.0\.0\.1:\$\{PORT:-8080\}:8080/g)?.length, 1)
    assert.equal(text.match(/BASE_URL: http:\/\/localhost:\$\{PORT:-8080\}/g)?.length, 2)
  })

  test('starts each part only when its dependencies are ready', () => {
    for (const [name, { depends_on = {} }] of Object.entries(services)) {
      for (const [needed, { condition }] of Object.entries(depends_on)) {
        assert(services[needed], `${name} needs ${needed}`)
        if (condition === 'service_healthy') assert(service(needed).healthcheck, `${needed} has no health`)
      }
    }
    assert.equal(service('lead-intake').depends_on?.migration?.condition, 'service_completed_successfully')
  })

  test('runs every container read-only, and all but nginx without capabilities', () => {
    for (const [name, { read_only, cap_drop, security_opt }] of Object.entries(services)) {
      assert.deepEqual([read_only, security_opt], [true, ['no-new-privileges:true']], name)
      if (name !== 'proxy') assert.deepEqual(cap_drop, ['ALL'], name)
    }
    assert.deepEqual(service('migration').build, service('lead-intake').build)
    assert.deepEqual([service('migration').image, service('lead-intake').image], ['lead-intake', 'lead-intake'])
    assert.equal(service('lead-intake').stop_grace_period, '30s')
  })

  test('mounts only existing files and declared volumes', () => {
    for (const { volumes = [] } of Object.values(services)) {
      for (const volume of volumes) {
        const [source = ''] = volume.split(':')
        assert(source.startsWith('.') ? existsSync(join(projectRoot, source)) : source in compose.volumes, volume)
      }
    }
  })

  test("uses a machine's stand-in images where they exist, and the usual ones elsewhere", () => {
    const variables = [
      ...Object.values(services).map(({ image }) => image),
      service('lead-intake').build?.args.NODE_IMAGE,
    ]
    assert.deepEqual(
      Object.fromEntries(variables.flatMap((text) => (text?.startsWith('$') ? [readVariable(text)] : []))),
      {
        NGINX_IMAGE: 'nginx:1.29-bookworm',
        REDIS_IMAGE: 'redis:8-bookworm',
        POSTGRES_IMAGE: 'postgres:17-bookworm',
        NODE_IMAGE: 'node:26-bookworm-slim',
      },
    )
  })

  test('names the service like the proxy configuration does', () => {
    const template = readFileSync(join(projectRoot, 'deploy/nginx/lead-intake.conf.template'), 'utf8')
    assert.match(template, /set \$replicas lead-intake;/)
    assert.match(template, /listen 8080 default_server;/)
  })
})
