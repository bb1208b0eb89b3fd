import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sha256 } from '../../src/lead/fingerprint.ts'
import { createConsentTexts } from '../../src/lead/wording.ts'

const business = { name: 'Zephyr & Sons {BUSINESS_PHONE}', phone: '(202) 555-0100' }

suite('the consent wording', () => {
  test('contains the name of the business', () => {
    const { wording } = createConsentTexts({ name: 'Bright Home', phone: '(202) 555-0100' })
    assert.equal(
      wording.text,
      'I ask Bright Home to contact me by phone, text message or e-mail about this request, at the phone number and e-mail address I give here. A person calls and writes: no autodialer, no recorded or artificial voice. This is not a condition of any purchase. I can stop it at any time and in any way, such as replying STOP or calling (202) 555-0100.',
    )
    assert.match(wording.version, /^\d{4}-\d{2}-\d{2}$/)
  })

  test('and the statement are identified by the hash of the published text', () => {
    for (const { text, sha256: hash } of Object.values(createConsentTexts(business))) assert.equal(hash, sha256(text))
    const other = createConsentTexts({ ...business, name: 'Another' })
    assert.notEqual(other.wording.sha256, createConsentTexts(business).wording.sha256)
    assert.equal(other.statement.sha256, createConsentTexts(business).statement.sha256)
  })

  test("can be the business's own, whose version depends on its content", () => {
    const { wording } = createConsentTexts(business, ' Call me, {BUSINESS_NAME}, or let me call {BUSINESS_PHONE}.\n')
    assert.equal(wording.text, 'Call me, Zephyr & Sons {BUSINESS_PHONE}, or let me call (202) 555-0100.')
    assert.match(wording.version, /^custom-[0-9a-f]{12}$/)
    assert.notEqual(createConsentTexts(business, 'Call me.').wording.version, wording.version)
  })
})
