import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { after, suite, test } from 'node:test'
import { connect, type SecureVersion } from 'node:tls'
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { LeadIntakeService } from '../../src/gen/leadintake/v1/intake_pb.ts'
import type { RpcTls } from '../../src/rpc/listener.ts'
import { quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'
import { createAuthority, type Identity } from './certificates.ts'
import { receipt, startRpcServer, submitPath } from './rpc-server.ts'

const authority = createAuthority('Test authority')
const stranger = createAuthority('Another authority')
after(() => {
  authority.dispose()
  stranger.dispose()
})

const serverIdentity = authority.issue('127.0.0.1')
const crm = authority.issue('crm')
const tls: RpcTls = { ...serverIdentity, ca: authority.cert }

const transports: Record<string, (baseUrl: string, identity?: Identity) => Transport> = {
  'gRPC over HTTP/2': (baseUrl, identity) =>
    createGrpcTransport({ baseUrl, nodeOptions: { ca: authority.cert, ...identity } }),
  'Connect over HTTP/2': (baseUrl, identity) =>
    createConnectTransport({ baseUrl, httpVersion: '2', nodeOptions: { ca: authority.cert, ...identity } }),
  'Connect over HTTP/1.1': (baseUrl, identity) =>
    createConnectTransport({ baseUrl, httpVersion: '1.1', nodeOptions: { ca: authority.cert, ...identity } }),
  'gRPC-Web over HTTP/1.1': (baseUrl, identity) =>
    createGrpcWebTransport({ baseUrl, httpVersion: '1.1', nodeOptions: { ca: authority.cert, ...identity } }),
}

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

/** The listener's certificate, as seen by a client with a valid one. */
async function certificateSeen(port: number, ca: string, identity: Identity): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', ca, ...identity })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

suite('with certificates', () => {
  test('a client with the right certificate is served by every protocol', async () => {
    await using server = await startRpcServer({ tls })
    for (const [name, createTransport] of Object.entries(transports))
      assert.equal((await submit(createTransport(server.url, crm))).id, receipt.id, name)
    assert.equal(server.submitted.length, 4)
  })

  test('a client without one is refused by every protocol', async () => {
    await using server = await startRpcServer({ tls })
    for (const createTransport of Object.values(transports)) {
      await assert.rejects(
        submit(createTransport(server.url)),
        (error) => error instanceof ConnectError && error.code !== Code.Unknown,
      )
    }
    assert.deepEqual([server.submitted, server.calls], [[], []])
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
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    test(`a handshake that fails by ${maxVersion} is reported with its code`, async () => {
      await using server = await startRpcServer({ tls })
      for (const [code, identity] of refused) {
        const socket = connect({ port: server.port, host: '127.0.0.1', ca: authority.cert, maxVersion, ...identity })
        await closed(socket)
        assert.equal(server.handshakes.pop(), code)
      }
      assert.deepEqual(server.calls, [])
    })
  }

  test('cleartext is refused and reported', async () => {
    await using server = await startRpcServer({ tls })
    const socket = connectTcp({ port: server.port, host: '127.0.0.1' })
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await closed(socket)
    assert.deepEqual([server.handshakes, server.calls], [['ERR_SSL_HTTP_REQUEST'], []])
  })

  test('a client that never starts a handshake is disconnected', async () => {
    await using server = await startRpcServer({ tls, helloTimeoutMs: 20 })
    await closed(connectTcp({ port: server.port, host: '127.0.0.1' }))
    assert.deepEqual(server.handshakes, ['ERR_TLS_HANDSHAKE_TIMEOUT'])
  })

  for (const [what, sent] of Object.entries({
    'after its handshake': '',
    'in its headers': 'POST / HTTP/1.1\r\nHost: a\r\n',
    'in its body': `POST ${submitPath} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
  })) {
    test(`a client over HTTP/1.1 that stops ${what} is disconnected`, async () => {
      await using server = await startRpcServer({ tls, requestTimeoutMs: 120 })
      const socket = connect({ port: server.port, host: '127.0.0.1', ca: authority.cert, ...crm })
      socket.write(sent)
      await closed(socket)
      assert.deepEqual(server.submitted, [])
    })
  }

  test('a connection beyond the limit is closed, and all others are served', async () => {
    await using server = await startRpcServer({ tls, connectionsMax: 2 })
    const served = await Promise.all(
      [1, 2].map(async () => {
        const socket = connect({ port: server.port, host: '127.0.0.1', ca: authority.cert, ...crm }).on(
          'error',
          () => {},
        )
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

  test('renew applies new certificates and new client CAs to later connections', async () => {
    await using server = await startRpcServer({ tls })
    const first = await certificateSeen(server.port, authority.cert, crm)

    server.listener.renew({ ...stranger.issue('127.0.0.1'), ca: stranger.cert })
    const second = await certificateSeen(server.port, stranger.cert, stranger.issue('crm'))
    assert.notEqual(second, first)
    const old = createGrpcTransport({ baseUrl: server.url, nodeOptions: { ca: stranger.cert, ...crm } })
    await assert.rejects(submit(old))
    await assert.rejects(submit(createGrpcTransport({ baseUrl: server.url, nodeOptions: { ca: stranger.cert } })))
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
    const head = 'Host: a\r\nContent-Type: application/json'
    busy.write(
      `POST /leadintake.v1.LeadIntakeService/SubmitLead HTTP/1.1\r\n${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
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

  test('a listener does not start with an invalid certificate', async () => {
    await assert.rejects(startRpcServer({ tls: { ...tls, cert: 'nonsense' } }))
  })
})
