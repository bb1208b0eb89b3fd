import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { parseIpAddress } from '../../src/limit/ip-address.ts'
import { isInNetwork, parseIpNetwork } from '../../src/limit/ip-network.ts'

function holds(network: string, address: string): boolean {
  const parsed = parseIpAddress(address)
  assert.ok(parsed)
  return isInNetwork(parsed, parseIpNetwork(network))
}

const cases: [network: string, address: string, expected: boolean][] = [
  ['10.0.0.0/8', '10.255.0.1', true],
  ['10.0.0.0/8', '11.0.0.1', false],
  ['10.1.2.3/8', '10.200.0.1', true],
  ['10.0.0.0/8', '::ffff:10.1.2.3', true],
  ['::ffff:10.0.0.0/104', '10.1.2.3', true],
  ['192.0.2.7', '192.0.2.7', true],
  ['192.0.2.7', '192.0.2.8', false],
  ['0.0.0.0/0', '203.0.113.9', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['::/0', '2001:db8::1', true],
  ['::/0', '203.0.113.9', false],
  ['2001:db8::/33', '2001:db8:7fff::1', true],
  ['2001:db8::/33', '2001:db8:8000::1', false],
  ['fe80::/10', 'febf::1', true],
  ['fe80::/10', 'fec0::1', false],
  ['::1', '::1', true],
]

for (const [network, address, expected] of cases) {
  test(`${network} ${expected ? 'holds' : 'does not hold'} ${address}`, () => {
    assert.equal(holds(network, address), expected)
  })
}

for (const text of [
  '',
  'example.com',
  '10.0.0.0/',
  '10.0.0.0/33',
  '10.0.0.0/-1',
  '10.0.0.0/8/8',
  '::/129',
  '1.2.3.4/255.0.0.0',
]) {
  test(`"${text}" is not a network`, () => assert.throws(() => parseIpNetwork(text), TypeError))
}

test('agrees with ipaddr.js on networks and addresses of one family', () => {
  const ipv4 = fc.record({ network: fc.ipV4(), address: fc.ipV4(), bits: fc.nat(32) })
  const ipv6 = fc.record({ network: fc.ipV6(), address: fc.ipV6(), bits: fc.nat(128) })
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6), fc.boolean(), ({ network, address, bits }, near) => {
      fc.pre(ipaddr.process(network).kind() === ipaddr.parse(network).kind())
      // Two random addresses share few bits, so half of the cases use the network's own address.
      const inside = near ? network : address
      fc.pre(ipaddr.process(inside).kind() === ipaddr.parse(inside).kind())
      const expected = ipaddr.parse(inside).match(ipaddr.parse(network), bits)
      assert.equal(holds(`${network}/${bits}`, inside), expected)
    }),
    { numRuns: 2000 },
  )
})
