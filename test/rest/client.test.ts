import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { parseTrustedProxies } from '../../src/limit/client-key.ts'
import { type Client, createReadClient } from '../../src/rest/client.ts'

/**
 * The client that a server with these trusted proxies determines, for a request over a real socket with these header
 * lines.
 */
async function clientOf(trusted: string, lines: readonly string[]): Promise<Client> {
  const readClient = createReadClient(parseTrustedProxies(trusted))
  const server = createServer((request, response) => response.end(JSON.stringify(readClient(request)))).listen(0)
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write(['GET / HTTP/1.1', 'Host: example.com', 'Connection: close', ...lines, '', ''].join('\r\n'))
  const answer = await text(socket)
  server.close()
  return JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1))
}

const loopback = { address: '127.0.0.1', key: '127.0.0.1' }

const cases: [why: string, trusted: string, lines: string[], expected: Client][] = [
  ['an IPv4 peer of a listener on all addresses is its IPv4 address', '', [], loopback],
  ['a forged header of an untrusted peer is ignored', '', ['X-Forwarded-For: 192.0.2.1'], loopback],
  ['a trusted proxy', 'loopback', ['X-Forwarded-For: 192.0.2.1'], { address: '192.0.2.1', key: '192.0.2.1' }],
  [
    'two lines are one list in their order',
    'loopback,10.0.0.0/8',
    ['X-Forwarded-For: 198.51.100.66, 192.0.2.1', 'x-forwarded-for: 10.0.0.7'],
    { address: '192.0.2.1', key: '192.0.2.1' },
  ],
  [
    'an IPv6 client has the limit of its /64',
    'loopback',
    ['X-Forwarded-For: 2001:DB8:1:2:ffff::9'],
    { address: '2001:db8:1:2:ffff::9', key: '2001:db8:1:2::/64' },
  ],
  [
    'no other forwarding field is looked at',
    'loopback',
    ['Forwarded: for=192.0.2.8', 'X-Real-IP: 192.0.2.7', 'X-Forwarded-For: 192.0.2.1', 'X-Client-IP: 192.0.2.6'],
    { address: '192.0.2.1', key: '192.0.2.1' },
  ],
  ['Forwarded alone changes nothing', 'loopback', ['Forwarded: for=192.0.2.8'], loopback],
]

for (const [why, trusted, lines, expected] of cases) {
  test(why, async () => assert.deepEqual(await clientOf(trusted, lines), expected))
}
