import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
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

/** The listener's certificate, as seen by a client with a valid one. */
async function certificateSeen(port: number, ca: string, identity: Identity): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', ca, ...identity })
  await once(socket, 'secureConnect')
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

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

  test('renew applies new certificates and new client CAs to later connections', async () => {
    await using server = await startRpcServer({ tls })
    const first = await certificateSeen(server.port, authority.cert, crm)

    server.listener.renew({ ...stranger.issue('127.0.0.1'), ca: stranger.cert })
    const second = await certificateSeen(server.port, stranger.cert, stranger.issue('crm'))
    assert.notEqual(second, first)
    const old = transports.gRPC(server.url, { ca: stranger.cert, ...crm })
    await assert.rejects(submit(old))
    await assert.rejects(submit(transports.gRPC(server.url, { ca: stranger.cert })))
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

  test('a listener does not start with an invalid certificate', async () => {
    await assert.rejects(startRpcServer({ tls: { ...tls, cert: 'nonsense' } }))
  })
})

const first = tls
const second: RpcTls = { ...stranger.issue('127.0.0.1'), ca: stranger.cert }

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

  test('are reported without the key if they are not valid, and the current ones stay', async () => {
    const bad: Partial<RpcTls>[] = [
      { cert: 'nonsense' },
      { ca: 'nonsense' },
      { cert: '', key: '', ca: '' },
      // The key of another certificate.
      { key: second.key },
      authority.issue('127.0.0.1', { expired: true }),
    ]
    for (const changed of bad) {
      const { secret, used, errors } = setUp()
      await replaceUntil(secret, changed, () => errors.length > 0)
      assert.deepEqual(used, [])
      assert.ok(!errors.some((error) => String((error as Error).stack).includes('PRIVATE')))
      await replaceUntil(secret, second, () => used.length === 1)
      assert.deepEqual(used, [second])
    }
  })

  test('that disappear are reported, and the current ones stay', async () => {
    const { secret, used, errors } = setUp()
    secret.remove()
    await until('it is reported', () => errors.length > 0)
    assert.equal((errors[0] as NodeJS.ErrnoException).code, 'ENOENT')
    assert.deepEqual(used, [])
  })
})
