import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createConsentTexts } from '../../src/consent/wording.ts'
import { sha256 } from '../../src/lead/fingerprint.ts'

const business = {
  ...{ name: 'Zephyr & Sons {BUSINESS_PHONE}', phone: '(202) 555-0100' },
  ...{ postalAddress: '1 Main Street, Springfield', email: 'office@example.com' },
}
const versionForm = /^2026-11-26-[0-9a-f]{8}$/

suite('the consent wording', () => {
  test('contains the name of the business', () => {
    const { wording } = createConsentTexts({ ...business, name: 'Bright Home' })
    assert.equal(
      wording.text,
      'I ask Bright Home to contact me by phone, text message or e-mail about this request, at the phone number and e-mail address I give here. This is not a condition of any purchase. I can stop it at any time and in any way, such as replying STOP or calling (202) 555-0100.',
    )
    assert.match(wording.version, versionForm)
    assert(wording.sha256.startsWith(wording.version.slice('2026-11-26-'.length)))
  })

  test('and the statement are identified by the hash of the published text', () => {
    const texts = createConsentTexts(business)
    for (const { text, sha256: hash } of Object.values(texts)) assert.equal(hash, sha256(text))
    const other = createConsentTexts({ ...business, name: 'Another' })
    assert.notEqual(other.wording.version, texts.wording.version)
    assert.equal(other.statement.sha256, texts.statement.sha256)
  })

  test("can be the business's own, which has a version in the same form", () => {
    const { wording } = createConsentTexts(business, ' Call me, {BUSINESS_NAME}, or let me call {BUSINESS_PHONE}.\n')
    assert.equal(wording.text, 'Call me, Zephyr & Sons {BUSINESS_PHONE}, or let me call (202) 555-0100.')
    assert.match(wording.version, versionForm)
    assert.notEqual(createConsentTexts(business, 'Call me.').wording.version, wording.version)
  })
})
