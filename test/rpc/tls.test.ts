import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { after, suite, test } from 'node:test'
import { connect, type SecureVersion } from 'node:tls'
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node'
import { LeadIntakeService } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { createRpcListener, type RpcTls } from '../../src/rpc/listener.ts'
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

/** The listener's certificate, as seen by a client with a valid one. */
async function certificateSeen(port: number, ca: string, identity: Identity): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', ca, ...identity })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

suite('with certificates', () => {
  for (const [name, createTransport] of Object.entries(transports)) {
    test(`${name} works for a client with the right certificate`, async () => {
      await using server = await startRpcServer({ tls })
      const answer = await submit(createTransport(server.url, crm))
      assert.equal(answer.id, receipt.id)
      assert.equal(server.submitted.length, 1)
    })

    const refused: Record<string, Identity | undefined> = {
      'without a certificate': undefined,
      'with a certificate of another authority': stranger.issue('crm'),
      'with an expired certificate': authority.issue('crm', { expired: true }),
    }
    for (const [who, identity] of Object.entries(refused)) {
      test(`${name} is refused for a client ${who}`, async () => {
        await using server = await startRpcServer({ tls })
        await assert.rejects(
          submit(createTransport(server.url, identity)),
          (error) => error instanceof ConnectError && error.code !== Code.Unknown,
        )
        assert.deepEqual([server.submitted, server.calls], [[], []])
      })
    }
  }

  test('cleartext is refused', async () => {
    await using server = await startRpcServer({ tls })
    await assert.rejects(submit(createGrpcTransport({ baseUrl: server.url.replace('https', 'http') })))
    assert.deepEqual(server.calls, [])
  })

  for (const [version, taken] of [
    ['TLSv1.1', false],
    ['TLSv1.2', true],
    ['TLSv1.3', true],
  ] as [SecureVersion, boolean][]) {
    test(`${version} is ${taken ? 'taken' : 'refused'}`, async () => {
      await using server = await startRpcServer({ tls })
      const options = { ca: authority.cert, ...crm, minVersion: version, maxVersion: version }
      const socket = connect({ port: server.port, host: '127.0.0.1', ...options, ciphers: 'DEFAULT@SECLEVEL=0' })
      const handshake = once(socket, 'secureConnect')
      if (taken) {
        await handshake
        assert.equal(socket.getProtocol(), version)
        socket.destroy()
      } else {
        await assert.rejects(handshake, { code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' })
      }
    })
  }

  test('a client that never starts a handshake is disconnected', async () => {
    await using server = await startRpcServer({ tls, helloTimeoutMs: 20 })
    await once(connectTcp({ port: server.port, host: '127.0.0.1' }).resume(), 'close')
  })

  for (const [what, sent] of Object.entries({
    'after its handshake': '',
    'in its headers': 'POST / HTTP/1.1\r\nHost: a\r\n',
    'in its body': `POST ${submitPath} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
  })) {
    test(`a client over HTTP/1.1 that stops ${what} is disconnected`, async () => {
      await using server = await startRpcServer({ tls, requestTimeoutMs: 120 })
      const socket = connect({ port: server.port, host: '127.0.0.1', ca: authority.cert, ...crm })
      socket.on('error', () => {}).write(sent)
      await once(socket.resume(), 'close')
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
    await once(
      connectTcp({ port: server.port, host: '127.0.0.1' })
        .on('error', () => {})
        .resume(),
      'close',
    )
    assert(served.every(({ closed }) => !closed))
    for (const socket of served) socket.destroy()
  })

  test('renew applies new certificates and new client CAs to later connections', async () => {
    await using server = await startRpcServer({ tls })
    const before = submit(createGrpcTransport({ baseUrl: server.url, nodeOptions: { ca: authority.cert, ...crm } }))
    await before
    const first = await certificateSeen(server.port, authority.cert, crm)

    server.listener.renew({ ...stranger.issue('127.0.0.1'), ca: stranger.cert })
    const second = await certificateSeen(server.port, stranger.cert, stranger.issue('crm'))
    assert.notEqual(second, first)
    const old = createGrpcTransport({ baseUrl: server.url, nodeOptions: { ca: stranger.cert, ...crm } })
    await assert.rejects(submit(old))
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
    const closed = [once(session, 'close'), once(idle, 'close'), once(busy.resume(), 'close')]
    server.listener.renew({ ...serverIdentity, ca: stranger.cert })
    await goaway
    await Promise.all(closed)
    held.resolve()

    const resumed = connect({ port: server.port, host: '127.0.0.1', ...options, session: ticket as Buffer })
    resumed.on('error', () => {}).resume()
    await once(resumed, 'close')
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

  test('renew still requires client certificates', async () => {
    await using server = await startRpcServer({ tls })
    server.listener.renew(tls)
    await assert.rejects(submit(createGrpcTransport({ baseUrl: server.url, nodeOptions: { ca: authority.cert } })))
  })

  test('renew fails for a cleartext listener', () => {
    assert.throws(() => createRpcListener({ handler: () => {} }).renew(tls), TypeError)
  })

  test('a listener does not start with an invalid certificate', async () => {
    await assert.rejects(startRpcServer({ tls: { ...tls, cert: 'nonsense' } }))
  })
})
