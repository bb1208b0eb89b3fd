import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { createAuthority } from '../rpc/certificates.ts'
import { faultsOf } from './faults.ts'

const authority = createAuthority('Test authority')
after(() => authority.dispose())
const { cert, key } = authority.issue('127.0.0.1')
const tls = { INTERNAL_TLS_CERT: cert, INTERNAL_TLS_KEY: key, INTERNAL_TLS_CLIENT_CA: authority.cert }

suite('the settings of the internal listener', () => {
  test('reads the roles of callers, which require certificates', () => {
    const callers = 'CRM.internal=read+erase, URI:spiffe://business.internal/site?a=b=submit'
    assert.deepEqual(
      readConfig({ ...tls, INTERNAL_CALLERS: callers }).internal.callers,
      new Map([
        ['crm.internal', new Set(['read', 'erase'])],
        ['URI:spiffe://business.internal/site?a=b', new Set(['submit'])],
      ]),
    )
    assert.equal(readConfig(tls).internal.callers, undefined)
    assert.match(
      faultsOf({ ...tls, INTERNAL_CALLERS: 'spiffe://business.internal/site=submit' })[0] ?? '',
      /^INTERNAL_CALLERS: .* a DNS name, or URI: and a URI/,
    )
    assert.match(faultsOf({ INTERNAL_CALLERS: callers })[0] ?? '', /^INTERNAL_CALLERS: expected INTERNAL_TLS_CERT/)
  })

  test('reports only the cause when one file cannot be read', () => {
    const { INTERNAL_TLS_CERT: _, ...others } = tls
    assert.equal(faultsOf({ ...others, INTERNAL_TLS_CERT_FILE: '/nowhere' }).length, 1)
  })

  test('reports a key of another certificate, and texts that are not certificates, without printing them', () => {
    const { key: other } = authority.issue('127.0.0.1')
    assert.deepEqual(faultsOf({ ...tls, INTERNAL_TLS_KEY: other }), [
      'INTERNAL_TLS_CERT, INTERNAL_TLS_KEY: expected a certificate and its own key; these two do not match',
    ])
    const nonsense = '-----BEGIN X-----\nx\n-----END X-----'
    for (const name of Object.keys(tls)) {
      const [fault = '', ...others] = faultsOf({ ...tls, [name]: nonsense })
      assert.match(fault, new RegExp(`^${name}: expected a (certificate|private key) in PEM`))
      assert.deepEqual(others, [])
    }
  })

  test('accepts any host name once certificates or the operator guard the listener', () => {
    assert.equal(readConfig(tls).internal.loopbackOnly, false)
    assert.equal(readConfig({ INTERNAL_INSECURE: 'true' }).internal.loopbackOnly, false)
  })

  test('refuses an internal listener that anyone can reach, unless INTERNAL_INSECURE allows it', () => {
    assert.match(faultsOf({ INTERNAL_HOST: '0.0.0.0' })[0] ?? '', /INTERNAL_INSECURE=true/)
    assert.deepEqual(faultsOf({ INTERNAL_HOST: '0.0.0.0', INTERNAL_INSECURE: 'true' }), [])
    for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost'])
      assert.deepEqual(faultsOf({ INTERNAL_HOST: host }), [])
    assert.deepEqual(faultsOf({ INTERNAL_HOST: '0.0.0.0', ...tls }), [])
    assert.match(faultsOf({ INTERNAL_TLS_CERT: cert })[0] ?? '', /all three or none/)
  })
})
