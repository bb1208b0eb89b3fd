import assert from 'node:assert/strict'
import { isIPv4, isIPv6 } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { formatIpAddress, isIpv4, parseIpAddress } from '../../src/limit/ip-address.ts'

const canonical: [text: string, canonicalText: string][] = [
  ['203.0.113.9', '203.0.113.9'],
  ['0.0.0.0', '0.0.0.0'],
  ['255.255.255.255', '255.255.255.255'],
  ['::', '::'],
  ['::1', '::1'],
  ['2001:DB8::1', '2001:db8::1'],
  ['2001:db8:0:0:0:0:0:1', '2001:db8::1'],
  ['2001:0db8:0000:0000:0001:0000:0000:0001', '2001:db8::1:0:0:1'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ['::2:3:4:5:6:7:8', '0:2:3:4:5:6:7:8'],
  ['::ffff:1.2.3.4', '1.2.3.4'],
  ['::ffff:102:304', '1.2.3.4'],
  ['0:0:0:0:0:FFFF:1.2.3.4', '1.2.3.4'],
  ['2001:db8::1.2.3.4', '2001:db8::102:304'],
  ['::1.2.3.4', '::102:304'],
]

const notAddresses = [
  '',
  ' ',
  'unknown',
  '999.1.1.1',
  '256.0.0.1',
  '010.0.0.1',
  '1.2.3',
  '1.2.3.4.5',
  '1..2.3',
  '1.2.3.',
  '.1.2.3',
  '0x7f.0.0.1',
  '2130706433',
  '1.2.3.4 ',
  '1.2.3.4:80',
  '+1.2.3.4',
  ':',
  ':::',
  '1:2',
  '1::2::3',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4:5:6:7:8::',
  '1:2:3:4:5:6:7::8:9',
  '12345::',
  'g::',
  '1:',
  ':1',
  '1:2:3:4:5:6:7:1.2.3.4',
  '::1.2.3',
  '::1.2.3.04',
  '::1.2.3.4:5',
  '[::1]',
  'fe80::1%eth0',
  '1'.repeat(1000),
]

for (const [text, expected] of canonical) {
  test(`"${text}" is ${expected}`, () => {
    const address = parseIpAddress(text)
    assert.ok(address)
    assert.equal(formatIpAddress(address), expected)
  })
}

for (const text of notAddresses) {
  test(`"${text.slice(0, 40)}" is not an address`, () => assert.equal(parseIpAddress(text), undefined))
}

test('IPv4 is detected by the bits only', () => {
  assert.equal(isIpv4(parseIpAddress('::ffff:0:0') ?? []), true)
  assert.equal(isIpv4(parseIpAddress('::fffe:0:0') ?? []), false)
  assert.equal(isIpv4(parseIpAddress('1::ffff:0:0') ?? []), false)
})

/**
 * The results of other parsers. ipaddr.js gets its groups from the URL parser, because it reads `::1.2.3.4` as the
 * mapped address `::ffff:1.2.3.4`, which has other bits.
 */
function readByOthers(text: string): string {
  if (isIPv4(text)) return text
  const address = ipaddr.process(new URL(`http://[${text}]`).hostname.slice(1, -1))
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString()
}

const addressLike = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.ipV4().map((ipv4) => `::ffff:${ipv4}`),
  fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF:.:.:0'), maxLength: 24 }),
  fc
    .array(fc.constantFrom('0', 'ffff', '1', 'a0', '', '00', '1.2.3.4'), { maxLength: 9 })
    .map((groups) => groups.join(':')),
)

test('parses exactly the addresses that Node accepts, with the same result as other parsers', () => {
  fc.assert(
    fc.property(addressLike, (text) => {
      const address = parseIpAddress(text)
      assert.equal(address !== undefined, isIPv4(text) || isIPv6(text))
      if (address === undefined) return
      assert.equal(formatIpAddress(address), readByOthers(text))
    }),
    { numRuns: 5000 },
  )
})

test('the canonical text parses to the same address', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      const address = parseIpAddress(text)
      assert.ok(address)
      assert.deepEqual(parseIpAddress(formatIpAddress(address)), address)
    }),
  )
})
