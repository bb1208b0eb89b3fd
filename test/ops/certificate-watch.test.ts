import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { after, suite, test } from 'node:test'
import { createCertificateWatch } from '../../src/ops/certificate-watch.ts'
import { createAuthority } from '../rpc/certificates.ts'

suite('the certificates of the internal listener', () => {
  const authority = createAuthority('ops')
  const next = createAuthority('next')
  after(() => {
    authority.dispose()
    next.dispose()
  })
  const { cert } = authority.issue('lead-intake.internal')
  const expiryMs = Date.parse(new X509Certificate(cert).validTo)

  function watch(nowMs: number) {
    const clock = { nowMs }
    const expiries: Record<string, number> = {}
    const expired: string[] = []
    const certificates = createCertificateWatch({
      now: () => clock.nowMs,
      onExpiry(certificate, seconds) {
        expiries[certificate] = seconds
      },
      onExpired: (certificate, at) => expired.push(`${certificate} ${at}`),
    })
    return { certificates, clock, expiries, expired }
  }

  test('report their expiry times, and no trouble before', () => {
    const { certificates, expiries, expired } = watch(expiryMs - 3_600_000)
    certificates.use({ cert, ca: authority.cert })
    const caSeconds = Date.parse(new X509Certificate(authority.cert).validTo) / 1_000
    assert.deepEqual(expiries, { server: expiryMs / 1_000, client_ca: caSeconds })
    assert.deepEqual([certificates.trouble, expired], [undefined, []])
  })

  test('are reported once when one expires in use, and no longer after a renewal', async () => {
    const { certificates, clock, expired } = watch(expiryMs - 3_600_000)
    certificates.use({ cert, ca: authority.cert })
    clock.nowMs = expiryMs
    for (let round = 0; round < 3; round++) await certificates.check(new AbortController().signal)
    const at = new Date(expiryMs).toISOString()
    assert.equal(expired[0], `server ${at}`)
    assert.equal(expired.filter((line) => line.startsWith('server')).length, 1)
    assert.equal(certificates.trouble, `internal listener: server certificate expired at ${at}`)
    clock.nowMs = expiryMs - 3_600_000
    certificates.use({ cert, ca: authority.cert })
    assert.equal(certificates.trouble, undefined)
  })

  test('use the latest expiry in a CA bundle, because an old CA stays until its callers are renewed', () => {
    const { certificates, expiries } = watch(expiryMs - 3_600_000)
    const bundle = [authority.cert, next.cert]
    certificates.use({ cert, ca: bundle.join('\n') })
    const last = Math.max(...bundle.map((ca) => Date.parse(new X509Certificate(ca).validTo)))
    assert.equal(expiries.client_ca, last / 1_000)
  })
})
