import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import fc from 'fast-check'
import { createClientReader, createPeerKey, parseTrustedProxies } from '../../src/net/client.ts'

const nobody = parseTrustedProxies('')

function findClientAddress(remoteAddress?: string, forwardedFor?: string, trusted = nobody): string {
  const request = { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwardedFor } }
  return createClientReader(trusted)(request as unknown as IncomingMessage).address
}

const proxies = parseTrustedProxies('10.0.0.0/8, 2001:db8:ffff::/48')

const walks: [why: string, peer: string, forwardedFor: string | undefined, expected: string][] = [
  ['a forged header of an untrusted peer is ignored', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
  ['a trusted peer without a header is the client', '10.0.0.2', undefined, '10.0.0.2'],
  ['garbage ends the search at the last good hop', '10.0.0.2', 'garbage, 10.0.0.3', '10.0.0.3'],
  ['an empty entry is passed over', '10.0.0.2', '203.0.113.9, , 10.0.0.3,', '203.0.113.9'],
  ['a port', '10.0.0.2', '203.0.113.9:4711', '203.0.113.9'],
  ['a suffix that is not a port', '10.0.0.2', '203.0.113.9:http', '10.0.0.2'],
  ['IPv6', '10.0.0.2', '2001:DB8:0::1', '2001:db8::1'],
  ['IPv6 with a zone and a port', '10.0.0.2', '[fe80::1%25eth0]:80', 'fe80::1'],
  ['IPv4 has no zone', '10.0.0.2', '203.0.113.9%eth0', '10.0.0.2'],
  ['a mapped peer is its IPv4 address', '::ffff:10.0.0.2', '203.0.113.9', '203.0.113.9'],
  ['a mapped client is its IPv4 address', '10.0.0.2', '::ffff:cb00:7109', '203.0.113.9'],
  ['an IPv6 proxy', '2001:db8:ffff::7', '2001:db8:1::9, 2001:db8:ffff::8', '2001:db8:1::9'],
]

for (const [why, peer, forwardedFor, warns] of [
  ['calls the proxy', '10.0.0.2', '203.0.113.9', true],
  ['calls the service', '203.0.113.9', '198.51.100.1', true],
  ['is trusted', '10.0.0.2', '198.51.100.1, 10.0.0.3', false],
] as const)
  test(`a CDN that ${why} is ${warns ? 'reported' : 'not reported'}`, () => {
    let found = 0
    const headers = { 'x-forwarded-for': forwardedFor, 'cdn-loop': 'cdn.example' }
    const request = { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage
    createClientReader(proxies, undefined, () => found++)(request)
    assert.equal(found, Number(warns))
  })

test('the client is read from the right, through trusted proxies', () => {
  for (const [why, peer, forwardedFor, expected] of walks)
    assert.equal(findClientAddress(peer, forwardedFor, proxies), expected, why)
  assert.equal(findClientAddress('10.0.0.2', '203.0.113.9'), '10.0.0.2', 'without trusted proxies')
  // A connection that was reset before it was accepted has no address.
  assert.equal(findClientAddress(undefined, '203.0.113.9', proxies), '0.0.0.0')
  assert.equal(createPeerKey(nobody)(undefined), '0.0.0.0')
})

const trustedHop = fc.nat(0xffffff).map((n) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`)
const outsider = fc
  .oneof(fc.ipV4(), fc.ipV6())
  .filter((address) => findClientAddress(address, '1.1.1.1', proxies) !== '1.1.1.1')
const separator = fc.constantFrom(',', ', ', '  ,  ')

test('a client cannot change its identity by prepending addresses', () => {
  const hopLists = fc.array(trustedHop, { maxLength: 4 })
  fc.assert(
    fc.property(fc.string(), outsider, hopLists, trustedHop, separator, (forged, client, hops, peer, comma) => {
      const honest = [client, ...hops].join(comma)
      const expected = findClientAddress(client)
      assert.equal(findClientAddress(peer, honest, proxies), expected)
      assert.equal(findClientAddress(peer, `${forged}${comma}${honest}`, proxies), expected)
    }),
  )
})

test('one address behind a proxy is read as proxy-addr reads it', () => {
  const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), trustedHop)
  fc.assert(
    fc.property(fc.oneof(outsider, trustedHop), address, (peer, one) => {
      // A comma, which changes nothing, sends it through proxy-addr.
      assert.equal(findClientAddress(peer, one, proxies), findClientAddress(peer, `${one},`, proxies))
    }),
  )
})

test('TRUSTED_PROXIES takes CIDRs, addresses and names, tells IPv4 from IPv6, and refuses anything else', () => {
  const isTrusted = (address: string, list: string) =>
    findClientAddress(address, '203.0.113.9', parseTrustedProxies(list)) === '203.0.113.9'
  const list = 'loopback, linklocal,uniquelocal ,192.0.2.1,2001:db8::/32'
  const own = '127.9.9.9 ::1 169.254.1.1 fe80::1 10.1.1.1 172.31.0.1 192.168.0.1 fd00::1 192.0.2.1 2001:db8::1'
  for (const proxy of own.split(' ')) assert(isTrusted(proxy, list), proxy)
  for (const stranger of ['172.32.0.1', '192.0.2.2', '2001:db9::1', '100.64.0.1']) assert(!isTrusted(stranger, list))
  assert(isTrusted('10.1.1.1', '::ffff:10.0.0.0/104'))
  assert(!isTrusted('11.1.1.1', '::ffff:10.0.0.0/104'))
  assert(isTrusted('2001:db8:8000::', '2001:db8:8000::/33') && !isTrusted('2001:db8::', '2001:db8:8000::/33'))
  const bad =
    'localhost loopback, toString 10.0.0.0/99 10.0.0.0/ 10.0.0.0/8/8 ::/129 ::/0 proxy.example.com 010.0.0.1 10'
  for (const text of [...bad.split(' '), '10.0.0.0/8 192.0.2.1'])
    assert.throws(() => parseTrustedProxies(text), TypeError, text)
})
