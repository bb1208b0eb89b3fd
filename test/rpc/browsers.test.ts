import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { suite, test } from 'node:test'
import { quote } from '../support/submissions.ts'
import { type RpcServer, startRpcServer, submitPath } from './rpc-server.ts'

const body = JSON.stringify({ quoteRequest: quote })
const json = { 'content-type': 'application/json' }

interface Answer {
  status: number
  type: string | undefined
  body: string
}

/** Sends a lead as JSON with this host and these headers. */
type Send = (server: RpcServer, host: string, headers: Record<string, string>, method?: string) => Promise<Answer>

const senders: Record<string, Send> = {
  async 'HTTP/1.1'({ port }, host, headers, method = 'POST') {
    const socket = connect({ port, host: '127.0.0.1' })
    const lines = Object.entries({ ...json, 'content-length': `${body.length}`, connection: 'close', ...headers })
    const head = [`${method} ${submitPath} HTTP/1.1`, `Host: ${host}`, ...lines.map((line) => line.join(': '))]
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    await once(socket, 'close')
    const [top = '', content = ''] = text.split('\r\n\r\n')
    return {
      status: Number(top.split(' ')[1]),
      type: /^content-type: (.*)$/im.exec(top)?.[1],
      body: content,
    }
  },
  async 'HTTP/2'({ port }, host, headers, method = 'POST') {
    const session = connectHttp2(`http://127.0.0.1:${port}`)
    const stream = session.request({ ':method': method, ':path': submitPath, ':authority': host, ...json, ...headers })
    let text = ''
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    stream.end(body)
    const [fields] = await once(stream, 'response')
    await once(stream, 'close')
    session.close()
    return { status: fields[':status'], type: fields['content-type'], body: text }
  },
}

function assertRefused({ status, type, body: text }: Answer): void {
  assert.equal(status, 403)
  assert.equal(type, 'application/problem+json')
  const problem = JSON.parse(text)
  assert.deepEqual([problem.code, problem.status, problem.retryable], ['browser_refused', 403, false])
}

const browserHeaders: Record<string, string>[] = [
  { origin: 'https://attacker.example' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'none' },
]
const strangeHosts = [
  'attacker.example',
  'attacker.example:9090',
  '127.0.0.1.example',
  'localhost.example',
  '10.0.0.1',
  '[::2]',
  '127.0.0.256',
  '0.0.0.0',
]
const ownHosts = ['localhost', 'LOCALHOST:9090', '127.0.0.1', '127.0.0.1:9090', '127.255.0.9', '[::1]', '[::1]:9090']

for (const [version, send] of Object.entries(senders)) {
  suite(`over ${version}`, () => {
    test('a browser is refused, whoever guards the port; a program may use any name of it', async () => {
      await using server = await startRpcServer({ loopbackOnly: false })
      for (const headers of browserHeaders) {
        assertRefused(await send(server, 'localhost', headers))
        assertRefused(await send(server, 'localhost', headers, 'OPTIONS'))
      }
      assert.deepEqual(server.submitted, [])
      assert.deepEqual([...new Set(server.calls.map(({ code }) => code))], ['permission_denied'])
      assert.equal((await send(server, 'lead-intake.internal:9090', {})).status, 200)
    })

    test('on a loopback address, only names of this machine are served', async () => {
      await using server = await startRpcServer({ loopbackOnly: true })
      for (const host of strangeHosts) assertRefused(await send(server, host, {}))
      assert.deepEqual(server.submitted, [])
      for (const host of ownHosts) assert.equal((await send(server, host, {})).status, 200, host)
      if (version === 'HTTP/2') assertRefused(await send(server, 'localhost', { host: 'attacker.example' }))
    })
  })
}
