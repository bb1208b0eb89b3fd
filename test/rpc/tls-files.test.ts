import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import type { RpcTls } from '../../src/rpc/listener.ts'
import { type TlsFiles, watchTlsFiles } from '../../src/rpc/tls-files.ts'
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
  const files: TlsFiles = { cert: join(folder, 'cert'), key: join(folder, 'key'), ca: join(folder, 'ca') }
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

function setUp({ nowMs = Date.now(), only }: { nowMs?: number; only?: keyof RpcTls } = {}) {
  const secret = mountSecret(first)
  const used: RpcTls[] = []
  const errors: unknown[] = []
  const watch = watchTlsFiles({
    files: only ? { [only]: secret.files[only] } : secret.files,
    tls: first,
    reload: (tls) => used.push(tls),
    onReload: () => {},
    onError: (error) => errors.push(error),
    now: () => nowMs,
    everyMs: 600_000,
  })
  after(() => {
    watch.stop()
    secret.remove()
  })
  return { secret, used, errors, watch }
}

suite('certificates from files', () => {
  test('are not reloaded while they are unchanged', async () => {
    const { used, errors, watch } = setUp()
    await watch.check()
    await watch.check()
    assert.deepEqual([used, errors], [[], []])
  })

  test('are reloaded once when they change', async () => {
    const { secret, used, errors, watch } = setUp()
    secret.replace(second)
    await watch.check()
    await watch.check()
    assert.deepEqual(used, [second])
    secret.replace(first)
    await watch.check()
    assert.deepEqual(used, [second, first])
    assert.deepEqual(errors, [])
  })

  test('are replaced individually when the others do not come from files', async () => {
    const { secret, used, watch } = setUp({ only: 'ca' })
    secret.replace(second)
    await watch.check()
    assert.deepEqual(used, [{ ...first, ca: second.ca }])
  })

  const bad: [title: string, changed: Partial<RpcTls>, nowMs?: number][] = [
    ['an invalid certificate', { cert: 'nonsense' }],
    ['an invalid key', { key: 'nonsense' }],
    ['an invalid CA', { ca: 'nonsense' }],
    ['nothing', { cert: '', key: '', ca: '' }],
    ['a key of another certificate', { key: second.key }],
    ['an expired certificate', authority.issue('127.0.0.1', { expired: true })],
  ]
  for (const [title, changed] of bad) {
    test(`${title} is reported once, without its key, and the current ones stay`, async () => {
      const { secret, used, errors, watch } = setUp()
      secret.replace(changed)
      await watch.check()
      await watch.check()
      assert.deepEqual(used, [])
      assert.equal(errors.length, 1)
      assert.ok(!String((errors[0] as Error).stack).includes('PRIVATE'))
      secret.replace(second)
      await watch.check()
      assert.deepEqual(used, [second])
    })
  }

  test('that disappear are reported once, and the current ones stay', async () => {
    const { secret, used, errors, watch } = setUp()
    secret.remove()
    await watch.check()
    await watch.check()
    assert.deepEqual(
      errors.map((error) => (error as NodeJS.ErrnoException).code),
      ['ENOENT'],
    )
    assert.deepEqual(used, [])
  })
})
