import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { connect, type SecureVersion } from 'node:tls'
import { Code, createClient, type Transport } from '@connectrpc/connect'
import type { InternalTls } from '../../src/config/internal.ts'
import { LeadIntakeService } from '../../src/gen/leadintake/v1/intake_pb.ts'
import type { RpcTls } from '../../src/rpc/listener.ts'
import { watchTlsFiles } from '../../src/rpc/tls-files.ts'
import { quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'
import { createAuthority, type Identity } from './certificates.ts'
import { receipt, refusalOf, startRpcServer, submitPath, transports } from './rpc-server.ts'

const authority = createAuthority('Test authority')
const stranger = createAuthority('Another authority')
after(() => {
  authority.dispose()
  stranger.dispose()
})

const serverIdentity = authority.issue('127.0.0.1')
const crm = authority.issue('crm')
const tls: RpcTls = { ...serverIdentity, ca: authority.cert }

const submit = (transport: Transport) =>
  createClient(LeadIntakeService, transport).submitLead({ lead: { case: 'quoteRequest', value: quote } })

/** Resolves when the service has closed a connection. */
const closed = (socket: Socket) =>
  new Promise((resolve) =>
    socket
      .on('error', () => {})
      .resume()
      .on('close', resolve),
  )

suite('with certificates', () => {
  test('a client with the right certificate is served by every protocol, and one without by none', async () => {
    await using server = await startRpcServer({ tls })
    for (const createTransport of Object.values(transports)) {
      const { error } = await refusalOf(submit(createTransport(server.url, { ca: authority.cert })))
      assert.notEqual(error.code, Code.Unknown)
      assert.deepEqual([server.submitted, server.calls], [[], []])
    }
    for (const createTransport of Object.values(transports))
      assert.equal((await submit(createTransport(server.url, { ca: authority.cert, ...crm }))).id, receipt.id)
  })

  test('TLS 1.2 and 1.3 are taken, older versions are not', async () => {
    await using server = await startRpcServer({ tls })
    for (const version of ['TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as SecureVersion[]) {
      const options = { ca: authority.cert, ...crm, minVersion: version, maxVersion: version }
      const socket = connect({ port: server.port, host: '127.0.0.1', ...options, ciphers: 'DEFAULT@SECLEVEL=0' })
      const handshake = once(socket, 'secureConnect')
      if (version === 'TLSv1.1') await assert.rejects(handshake, { code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' })
      else await handshake
      socket.destroy()
    }
  })

  const refused: [code: string, identity: Identity | undefined][] = [
    ['ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE', undefined],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', stranger.issue('crm')],
    ['CERT_HAS_EXPIRED', authority.issue('crm', { expired: true })],
  ]
  test('a handshake that fails is reported with its code, and so is cleartext', async () => {
    await using server = await startRpcServer({ tls })
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const)
      for (const [code, identity] of refused) {
        const socket = connect({ port: server.port, host: '127.0.0.1', ca: authority.cert, maxVersion, ...identity })
        await closed(socket)
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

  test('a client over HTTP/1.1 that stops after its handshake, in its headers or in its body is disconnected', async () => {
    await using server = await startRpcServer({ tls, requestTimeoutMs: 120 })
    const head = `POST ${submitPath} HTTP/1.1\r\nHost: a\r\n`
    for (const sent of ['', head, `${head}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`]) {
      const socket = connect({ port: server.port, host: '127.0.0.1', ca: authority.cert, ...crm })
      socket.write(sent)
      await closed(socket)
    }
    assert.deepEqual(server.submitted, [])
  })

  test('a connection beyond the limit is closed, and all others are served', async () => {
    await using server = await startRpcServer({ tls, connectionsMax: 2 })
    const served = await Promise.all(
      [1, 2].map(async () => {
        const socket = connect({ port: server.port, host: '127.0.0.1', ca: authority.cert, ...crm })
        socket.on('error', () => {})
        await once(socket, 'secureConnect')
        // The client considers the handshake complete before the service does. The first answer shows the result.
        socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
        await once(socket, 'data')
        return socket
      }),
    )
    await closed(connectTcp({ port: server.port, host: '127.0.0.1' }))
    assert(served.every(({ closed }) => !closed))
    for (const socket of served) socket.destroy()
  })

  test('a new client CA asks open connections to reconnect, and closes what is left', async () => {
    const entered = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    await using server = await startRpcServer({
      tls,
      reconnectMs: 50,
      async submit() {
        entered.resolve()
        await held.promise
        return { outcome: 'created', receipt }
      },
    })
    const options = { ca: authority.cert, ...crm }
    const open = (...ALPNProtocols: string[]) =>
      connect({ port: server.port, host: '127.0.0.1', ...options, ALPNProtocols }).on('error', () => {})
    const session = connectHttp2(server.url, options).on('error', () => {})
    const idle = open('http/1.1').resume()
    let ticket: Buffer | undefined
    idle.on('session', (data) => {
      ticket = data
    })
    const busy = open('http/1.1')
    await Promise.all([once(session, 'remoteSettings'), once(idle, 'secureConnect'), once(busy, 'secureConnect')])
    const body = JSON.stringify({ quoteRequest: quote })
    const head = `Host: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
    busy.write(`POST ${submitPath} HTTP/1.1\r\n${head}\r\n\r\n${body}`)
    await entered.promise
    await until('a ticket', () => ticket)

    const goaway = once(session, 'goaway')
    const all = [once(session, 'close'), once(idle, 'close'), once(busy.resume(), 'close')]
    server.listener.renew({ ...serverIdentity, ca: stranger.cert })
    await goaway
    await Promise.all(all)
    held.resolve()

    const resumed = connect({ port: server.port, host: '127.0.0.1', ...options, session: ticket as Buffer })
    await closed(resumed)
    assert.equal(server.handshakes.length, 1)
  })

  test('other new certificates leave open connections alone', async () => {
    await using server = await startRpcServer({ tls, reconnectMs: 0 })
    const session = connectHttp2(server.url, { ca: authority.cert, ...crm })
    await once(session, 'remoteSettings')
    server.listener.renew({ ...authority.issue('127.0.0.1'), ca: authority.cert })
    await new Promise((resolve, reject) => session.ping((error) => (error ? reject(error) : resolve(undefined))))
    assert.equal(session.closed, false)
    session.destroy()
  })
})

// That they are used when Kubernetes replaces them is proven in test/e2e/inbox-tls.test.ts.
suite('certificates from files', () => {
  const fresh: RpcTls = { ...stranger.issue('127.0.0.1'), ca: stranger.cert }

  /** Watches files while the test runs. */
  function watch(...parts: (keyof RpcTls)[]) {
    const folder = mkdtempSync(join(tmpdir(), 'tls-'))
    const write = (changed: RpcTls) => {
      for (const part of parts) writeFileSync(join(folder, part), changed[part])
    }
    write(tls)
    const files = Object.fromEntries(parts.map((part) => [part, join(folder, part)]))
    const used: RpcTls[] = []
    const errors: unknown[] = []
    const onError = (error: unknown) => errors.push(error)
    const onRenewal = (renewed: RpcTls) => used.push(renewed)
    const settings = { tls: { ...tls, files: files as InternalTls['files'] }, now: Date.now, everyMs: 10 }
    const stop = watchTlsFiles({ ...settings, onRenewal, onError })
    after(stop)
    const remove = () => rmSync(folder, { recursive: true, force: true })
    after(remove)
    /** Writes again while nothing happens: a change before the first look at a file is not seen. */
    const writeUntil = (changed: RpcTls, holds: () => boolean) =>
      until('the change is seen', () => holds() || void write(changed), { everyMs: 100 })
    return { used, errors, writeUntil, remove }
  }

  test('are replaced individually when the others do not come from files', async () => {
    const { used, writeUntil } = watch('ca')
    await writeUntil(fresh, () => used.length === 1)
    assert.deepEqual(used, [{ ...tls, ca: fresh.ca }])
  })

  test('are reported without the key if they are not valid or vanish, and the current ones stay', async () => {
    for (const changed of [
      { cert: 'nonsense' },
      { ca: 'nonsense' },
      { cert: '', key: '', ca: '' },
      // The key of another certificate.
      { key: fresh.key },
      authority.issue('127.0.0.1', { expired: true }),
    ]) {
      const { used, errors, writeUntil, remove } = watch('cert', 'key', 'ca')
      await writeUntil({ ...tls, ...changed }, () => errors.length > 0)
      assert.deepEqual(used, [])
      await writeUntil(fresh, () => used.length > 0)
      assert.deepEqual(used, [fresh])
      remove()
      await until('it is reported', () => (errors.at(-1) as NodeJS.ErrnoException).code === 'ENOENT')
      assert.ok(!errors.some((error) => String((error as Error).stack).includes('PRIVATE')))
    }
  })
})
