import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import type { InternalTls } from '../../src/config/internal.ts'
import type { RpcTls } from '../../src/rpc/listener.ts'
import { watchTlsFiles } from '../../src/rpc/tls-files.ts'
import { until } from '../support/until.ts'
import { createAuthority } from './certificates.ts'

const authority = createAuthority('Test authority')
const successor = createAuthority('Next authority')
after(() => {
  authority.dispose()
  successor.dispose()
})

const first: RpcTls = { ...authority.issue('127.0.0.1'), ca: authority.cert }
const second: RpcTls = { ...successor.issue('127.0.0.1'), ca: successor.cert }

/** A folder like a mounted Kubernetes secret: files link through `..data` to a folder that is replaced as a whole. */
function mountSecret(tls: RpcTls) {
  const folder = mkdtempSync(join(tmpdir(), 'secret-'))
  const files: InternalTls['files'] = { cert: join(folder, 'cert'), key: join(folder, 'key'), ca: join(folder, 'ca') }
  let version = 0

  function replace(changed: Partial<RpcTls>) {
    const name = `..version-${++version}`
    mkdirSync(join(folder, name))
    for (const [part, text] of Object.entries({ ...tls, ...changed })) writeFileSync(join(folder, name, part), text)
    symlinkSync(name, join(folder, '..data-new'))
    renameSync(join(folder, '..data-new'), join(folder, '..data'))
  }

  replace({})
  for (const part of Object.keys(files)) symlinkSync(join('..data', part), join(folder, part))
  return { files, replace, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Watches a secret while the test runs. */
function setUp(only?: keyof RpcTls) {
  const secret = mountSecret(first)
  const used: RpcTls[] = []
  const errors: unknown[] = []
  const stop = watchTlsFiles({
    tls: { ...first, files: only ? { [only]: secret.files[only] } : secret.files },
    onRenewal: (tls) => used.push(tls),
    onError: (error) => errors.push(error),
    now: Date.now,
    everyMs: 10,
  })
  after(() => {
    stop()
    secret.remove()
  })
  return { secret, used, errors }
}

/** Replaces again while nothing happens: a change before the first look at a file is not seen. */
function replaceUntil(secret: ReturnType<typeof mountSecret>, changed: Partial<RpcTls>, holds: () => boolean) {
  return until(
    'the change is seen',
    () => {
      if (holds()) return true
      secret.replace(changed)
      return false
    },
    { everyMs: 100 },
  )
}

suite('certificates from files', () => {
  test('are used when they change, each time', async () => {
    const { secret, used, errors } = setUp()
    await replaceUntil(secret, second, () => used.length === 1)
    await replaceUntil(secret, first, () => used.length === 2)
    assert.deepEqual(used, [second, first])
    assert.deepEqual(errors, [])
  })

  test('are replaced individually when the others do not come from files', async () => {
    const { secret, used } = setUp('ca')
    await replaceUntil(secret, second, () => used.length === 1)
    assert.deepEqual(used, [{ ...first, ca: second.ca }])
  })

  const bad: [title: string, changed: Partial<RpcTls>][] = [
    ['an invalid certificate', { cert: 'nonsense' }],
    ['an invalid CA', { ca: 'nonsense' }],
    ['nothing', { cert: '', key: '', ca: '' }],
    ['a key of another certificate', { key: second.key }],
    ['an expired certificate', authority.issue('127.0.0.1', { expired: true })],
  ]
  for (const [title, changed] of bad) {
    test(`${title} is reported without its key, and the current ones stay`, async () => {
      const { secret, used, errors } = setUp()
      await replaceUntil(secret, changed, () => errors.length > 0)
      assert.deepEqual(used, [])
      assert.ok(!errors.some((error) => String((error as Error).stack).includes('PRIVATE')))
      await replaceUntil(secret, second, () => used.length === 1)
      assert.deepEqual(used, [second])
    })
  }

  test('that disappear are reported, and the current ones stay', async () => {
    const { secret, used, errors } = setUp()
    secret.remove()
    await until('it is reported', () => errors.length > 0)
    assert.equal((errors[0] as NodeJS.ErrnoException).code, 'ENOENT')
    assert.deepEqual(used, [])
  })
})
