import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import type { Setting } from '../../src/config/reader.ts'
import { ConfigError } from '../../src/config/reader.ts'
import { settings as table } from '../../src/config/settings.ts'
import { createAuthority } from '../rpc/certificates.ts'
import {
  type Labels,
  type Manifest,
  overlayNames,
  projectRoot,
  renderOverlay,
  skipWithoutKubectl,
  type Workload,
} from './overlay.ts'

const mount = '/run/secrets/lead-intake'

/** Settings that an operator adds for production, with fictional values. */
const operatorsSettings = {
  BUSINESS_NAME: 'Sample Cleaning',
  BUSINESS_PHONE: '(202) 555-2368',
  BUSINESS_EMAIL: 'office@sample-cleaning.internal',
  BUSINESS_SERVICE_AREA: 'Sample County',
  BUSINESS_POSTAL_ADDRESS: '1 Sample Street, Sampletown',
}

const knownNames = new Set(
  Object.entries<Setting<unknown>>(table).flatMap(([name, { secret }]) => (secret ? [name, `${name}_FILE`] : [name])),
)

/** What an operator puts into the production Secret (docs/kubernetes.md). */
const operatorsSecret = {
  DATABASE_URL: 'postgres://lead_intake:not-a-real-one@postgres.example.net:5432/lead_intake?sslmode=verify-full',
  REDIS_URL: 'rediss://lead-intake:not-a-real-one@redis.example.net:6379',
  RATE_LIMIT_SECRET: 'not-a-real-one-not-a-real-one-32',
  CONSENT_SEAL_KEY: 'not-a-real-one-not-a-real-one-32',
  STOP_KEY: 'not-a-real-one-not-a-real-one-32',
}

describe('the settings', { skip: skipWithoutKubectl }, () => {
  for (const name of overlayNames) {
    test(`of ${name} are known and valid`, () => {
      const overlay = renderOverlay(name)
      const configMaps = overlay.all<Manifest & { data: Labels }>('ConfigMap')
      const settings = configMaps.find(({ data }) => data.REPLICAS)?.data ?? {}
      const [container] = overlay.one<Workload>('Deployment', 'lead-intake').spec.template.spec.containers
      assert.equal(container?.volumeMounts?.find((volume) => volume.name === 'secrets')?.mountPath, mount)
      const secret = overlay.all<Manifest & { data: Labels }>('Secret').find(({ data }) => data.REDIS_URL)?.data
      const values = secret
        ? Object.entries(secret).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()] as const)
        : Object.entries(operatorsSecret)
      const directory = mkdtempSync(join(tmpdir(), 'lead-intake-secrets-'))
      try {
        for (const [key, value] of values) writeFileSync(join(directory, key), value)
        // What components/internal-tls has cert-manager make.
        const authority = createAuthority('test')
        const { cert, key } = authority.issue('lead-intake-internal', { names: ['DNS:lead-intake-internal'] })
        authority.dispose()
        for (const [file, text] of Object.entries({ 'ca.crt': authority.cert, 'tls.crt': cert, 'tls.key': key }))
          writeFileSync(join(directory, file), text)
        const env: Labels = Object.fromEntries(
          Object.entries(settings).map(([key, value]) => [key, value.replace(/^\/run\/secrets\/[\w-]+/, directory)]),
        )
        if (name !== 'dev') {
          assert.throws(
            () => readConfig(env),
            (error) =>
              error instanceof ConfigError &&
              error.faults.map((fault) => fault.split(':')[0]).join() === Object.keys(operatorsSettings).join(),
            'as it is, only the business is missing',
          )
        }
        const config = readConfig(name === 'dev' ? env : { ...env, ...operatorsSettings })
        assert.deepEqual(
          Object.keys(settings).filter((key) => !knownNames.has(key)),
          [],
          'the service asks for no such setting',
        )
        assert.match(config.databaseUrl, /^postgres:/)
        assert.equal(config.redis?.kind, 'single')
        assert.equal(config.internal.host, '0.0.0.0')
        assert.equal(config.internal.tls === undefined, name === 'dev', 'production demands certificates')
        assert.equal(config.acceptTestLeads, name === 'dev')
        assert.equal(name !== 'dev', 'TRUSTED_PROXIES' in settings, 'production trusts its proxies')
      } finally {
        rmSync(directory, { recursive: true, force: true })
      }
    })
  }
})

describe('every secret setting', () => {
  const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8')
  const secrets = Object.entries<Setting<unknown>>(table).flatMap(([name, { secret }]) => (secret ? [name] : []))
  const mounted = Array.from(read('k8s/base/settings.env').matchAll(/^(\w+)_FILE=(.+)$/gm), ([, name, path]) => {
    assert.equal(path, `${mount}/${name}`)
    return name as string
  })

  test('is a file in the Secret of docs/kubernetes.md, or documented there with its purpose', () => {
    const guide = read('docs/kubernetes.md')
    const [command = ''] = /create secret generic lead-intake-secrets[^`]+?\n(?! {2}--)/.exec(guide) ?? []
    assert.deepEqual(
      Array.from(command.matchAll(/--from-file=(\w+)=/g), ([, name]) => name),
      mounted,
    )
    assert.deepEqual(Object.keys(operatorsSecret), mounted)
    for (const name of secrets) assert(mounted.includes(name) || guide.includes(`\`${name}\``), name)
  })

  test('has a place on one machine and on a laptop, unless it is for a part that does not run there', () => {
    const own = secrets.filter((name) => !/^(REDIS|INTERNAL_TLS)_/.test(name))
    assert(own.includes('STOP_KEY') && own.includes('CONSENT_SEAL_KEY'))
    for (const name of own) {
      assert.match(
        read('deploy/vm/compose.yaml') + read('deploy/vm/service.example.env'),
        new RegExp(`^ *${name}[:=]`, 'm'),
      )
      assert.match(read('compose.yaml'), new RegExp(`^ *${name}:`, 'm'))
    }
  })

  test('has its rotation described in docs/operations.md', () => {
    const [table = ''] = /## Rotate secrets[\s\S]+?\n## /.exec(read('docs/operations.md')) ?? []
    for (const name of secrets) {
      const family = name.replace(/^(INTERNAL_TLS_).+/, '$1*')
      assert(table.includes(`\`${family}\``), name)
    }
  })
})
