import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { connect } from 'node:tls'
import { type Certificates, watchTlsFiles } from '../../src/net/tls-files.ts'
import { http1 } from '../support/http2-frames.ts'
import { newFolder } from '../support/machine.ts'
import { quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'
import { createAuthority } from './certificates.ts'
import { held, startRpcServer, submitPath } from './rpc-server.ts'

const authority = createAuthority('Test authority')
const stranger = createAuthority('Another authority')
const serverIdentity = authority.issue('127.0.0.1')
const crm = authority.issue('crm')
const tls: Certificates = { ...serverIdentity, ca: authority.cert }

/** Resolves when the service has closed a connection. */
const closed = (socket: Socket) => {
  socket.on('error', () => {}).resume()
  return new Promise((resolve) => socket.once('close', resolve))
}

suite('with certificates', () => {
  test('a failed handshake is reported with its code, and so are cleartext and silence', async () => {
    await using server = await startRpcServer({ tls })
    for (const [code, identity] of [
      ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', stranger.issue('crm')],
      ['CERT_HAS_EXPIRED', authority.issue('crm', { expired: true })],
    ] as const) {
      await closed(connect({ port: server.port, host: '127.0.0.1', ca: authority.cert, ...identity }))
      assert.equal(server.handshakes.pop(), code)
    }
    const socket = connectTcp({ port: server.port, host: '127.0.0.1' })
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await closed(socket)
    assert.deepEqual([server.handshakes, server.calls], [['ERR_SSL_HTTP_REQUEST'], []])
    await using impatient = await startRpcServer({ tls, helloTimeoutMs: 20 })
    await closed(connectTcp({ port: impatient.port, host: '127.0.0.1' }))
    assert.deepEqual(impatient.handshakes, ['ERR_TLS_HANDSHAKE_TIMEOUT'])
  })

  test('a new client CA asks open connections to reconnect, and closes what is left', async () => {
    const { entered, release, handlers } = held()
    await using server = await startRpcServer({ ...handlers, tls, reconnectMs: 50 })
    const options = { ca: authority.cert, ...crm }
    const open = () =>
      connect({ port: server.port, host: '127.0.0.1', ...options, ALPNProtocols: ['http/1.1'] }).on('error', () => {})
    const session = connectHttp2(server.url, options).on('error', () => {})
    const idle = open().resume()
    let ticket: Buffer | undefined
    idle.on('session', (data) => {
      ticket = data
    })
    const busy = open()
    await Promise.all([once(session, 'remoteSettings'), once(idle, 'secureConnect'), once(busy, 'secureConnect')])
    const body = JSON.stringify({ quoteRequest: quote })
    busy.write(http1(submitPath, 'application/json', Buffer.from(body), `content-length: ${body.length}`))
    await entered
    await until('a ticket', () => ticket)
    // With the same CA, they may stay.
    server.listener.renew({ ...authority.issue('127.0.0.1'), ca: authority.cert })
    await new Promise((resolve, reject) => session.ping((error) => (error ? reject(error) : resolve(undefined))))
    assert.deepEqual([session.closed, idle.closed], [false, false])

    const goaway = once(session, 'goaway')
    const all = [once(session, 'close'), once(idle, 'close'), once(busy.resume(), 'close')]
    server.listener.renew({ ...serverIdentity, ca: stranger.cert })
    await goaway
    await Promise.all(all)
    release()

    const resumed = connect({ port: server.port, host: '127.0.0.1', ...options, session: ticket as Buffer })
    await closed(resumed)
    assert.equal(server.handshakes.length, 1)
  })
})

// That they are used when Kubernetes replaces them is proven in test/e2e/inbox-tls.test.ts.
test('certificate files that are not valid or vanish are reported without the key, and the next valid ones are used', async () => {
  const fresh: Certificates = { ...stranger.issue('127.0.0.1'), ca: stranger.cert }
  for (const changed of [
    { cert: 'nonsense' },
    { ca: 'nonsense' },
    { cert: '', key: '', ca: '' },
    // The key of another certificate.
    { key: fresh.key },
    authority.issue('127.0.0.1', { expired: true }),
  ]) {
    const folder = newFolder()
    const files = { cert: join(folder, 'cert'), key: join(folder, 'key'), ca: join(folder, 'ca') }
    const write = (parts: Certificates) => {
      for (const part of ['cert', 'key', 'ca'] as const) writeFileSync(files[part], parts[part])
    }
    write(tls)
    const used: Certificates[] = []
    const errors: NodeJS.ErrnoException[] = []
    const onRenewal = (renewed: Certificates) => used.push(renewed)
    const onError = (error: unknown) => errors.push(error as NodeJS.ErrnoException)
    const stop = watchTlsFiles({ ...tls, files }, onRenewal, onError, 10)
    /** Writes again while nothing happens: a change before the first look at a file is not seen. */
    const writeUntil = (parts: Certificates, holds: () => boolean) =>
      until('the change is seen', () => holds() || void write(parts), { everyMs: 100 })
    await writeUntil({ ...tls, ...changed }, () => errors.length > 0)
    assert.deepEqual(used, [])
    await writeUntil(fresh, () => used.length > 0)
    assert.deepEqual(used, [fresh])
    rmSync(folder, { recursive: true })
    await until('it is reported', () => errors.at(-1)?.code === 'ENOENT')
    assert.ok(!errors.some(({ stack }) => stack?.includes('PRIVATE')))
    stop()
  }
})
