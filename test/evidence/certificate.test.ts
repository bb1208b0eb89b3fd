import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { certificateJson, createCertificate } from '../../src/evidence/certificate.ts'
import { renderCertificate } from '../../src/evidence/certificate-html.ts'
import { createOptOuts } from '../../src/inbox/opt-outs.ts'
import { decodeEvidence } from '../../src/lead/evidence-texts.ts'
import { createConsentTexts } from '../../src/lead/wording.ts'
import { openStore } from '../../src/store/open.ts'
import { newFile } from '../store/backends.ts'
import { byRequest, makeLead, noon, optOut, storedLead } from '../store/leads.ts'
import { launchBrowser, skipWithoutBrowser } from '../support/browser.ts'
import { consent, makeTexts } from '../support/evidence.ts'
import { quote } from '../support/submissions.ts'

const business = {
  ...{ name: 'Example & Sons Cleaning', postalAddress: '1 Main Street, Springfield' },
  ...{ phone: '+1 202-555-0100', email: 'office@example.com' },
}

const named = (name: string) =>
  createConsentTexts({ name, phone: '(202) 555-0100' }, 'Write to {BUSINESS_NAME}.').wording
const earlier = named('An earlier name')
const renamed = named('Another name')

async function setUp() {
  const file = newFile('leads.db')
  const wordings = [consent.wording, consent.statement, earlier, renamed]
  const store = await openStore({ url: `sqlite:${file}`, wordings })
  const hostile = '<script>alert(1)</script>\u202egnp.exe\u0007 & "quoted"'
  const content = { formType: 'quote', notes: hostile, communicationsConsent: true }
  const lead = { ...makeLead(), ...makeTexts(content, 'quote', { userAgent: hostile }) }
  for (const each of [makeLead(), lead, makeLead()]) await store.add(each)
  const optOuts = createOptOuts({ store: store.inbox, keys: ['a key of sixteen characters'], now: () => noon })
  const common = { leads: store.inbox, optOuts, business, readWordings: store.readWordings, now: () => noon }
  const certify = (id = lead.id) => createCertificate(id, common)
  const certifyAndPrint = async (id = lead.id) => {
    const certificate = await certify(id)
    assert.ok(certificate)
    return { certificate, page: renderCertificate(certificate, 'America/Chicago') }
  }
  /** As somebody who has dropped the triggers. */
  function attack(sql: string) {
    using database = new DatabaseSync(file)
    for (const { name } of database.prepare(`SELECT name FROM sqlite_master WHERE type = 'trigger'`).all())
      database.exec(`DROP TRIGGER ${name}`)
    database.exec(sql)
  }
  return { store, lead, optOuts, certify, certifyAndPrint, attack, [Symbol.asyncDispose]: () => store.close() }
}

suite('a certificate', () => {
  test('contains the full texts, the submitted data and the hashes', async () => {
    await using fixture = await setUp()
    const { lead, certify } = fixture
    const certificate = await certify()
    assert.deepEqual(certificate?.evidence, decodeEvidence(lead.evidence))
    const texts = [certificate.wording.text, certificate.statement.text]
    assert.deepEqual(texts, [consent.wording.text, consent.statement.text])
    assert.deepEqual([certificate.personal?.fits, certificate.personal?.clientAddress], [true, '192.0.2.7'])
    assert.equal(await certify('0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a10'), undefined)
    const page = renderCertificate(certificate)
    for (const part of [lead.id, consent.wording.sha256, consent.statement.text]) assert.ok(page.includes(part), part)
  })

  test('has a letterhead, plain words, local time beside UTC, and an opt-out', async () => {
    await using fixture = await setUp()
    const plain = { ...makeLead(), ...makeTexts({ formType: 'quote', ...quote, phone: '2025550123' }, 'quote') }
    await fixture.store.add(plain)
    const said = { channels: ['phone', 'text'], saidAtMs: noon - 86_400_000, how: 'called' } as const
    for (const contact of ['2025550123', String(quote.email)])
      await fixture.optOuts.record({ contact, ...said }, 'crm.internal')
    const { certificate, page } = await fixture.certifyAndPrint(plain.id)
    const repeated = renderCertificate({ ...certificate, optOuts: [{ ...optOut, how: 'restore' }] })
    assert.match(repeated, /<th>Asked not to be contacted<.th><td>Not known: reported by a copy, after a restore</)
    for (const part of [
      'Example &amp; Sons Cleaning',
      '1 Main Street, Springfield · +1 202-555-0100 · office@example.com',
      'Quote request',
      'REST, version 1',
    ])
      assert.ok(page.includes(part), part)
    assert.match(page, /<th>Asked not to be contacted<.th><td>November 20, 2026 at .* CST \(2026-11-.*Z\)</)
    assert.equal(page.split('Asked not to').length, 2)
    assert.match(page, /called; phone, text<.*<th>Recorded<.th><td>November 21, .* by crm\.internal</s)
  })

  test('says which wording was presented and which was in force, and of a message nothing about consent', async () => {
    await using fixture = await setUp()
    const late = '2099-01-01T00:00:00Z'
    const both = /Write to An earlier name.*the second wording, WHICH WAS NOT IN FORCE.*Write to Another name/s
    const tooEarly = /as the caller stated\. THIS WAS BEFORE this database first had/
    for (const [kind, presented, consentTimestamp, stated] of [
      ['quote', undefined, late, /PRESENTED WAS NOT STATED/],
      ['quote', consent.wording, late, /this wording was presented/],
      ['quote', earlier, late, both],
      ['quote', consent.wording, '2020-01-01T00:00:00Z', tooEarly],
      ['support', consent.wording, late, /<h1>Evidence of a contact message/],
    ] as const) {
      const content = { ...(kind === 'quote' ? { communicationsConsent: true } : {}), consentTimestamp }
      const lead = { ...makeLead({ kind }), ...makeTexts(content, kind, {}, presented) }
      await fixture.store.add(lead)
      const { certificate, page } = await fixture.certifyAndPrint(lead.id)
      assert.match(page, stated)
      assert.equal(/The wording|Time of consent|sending true|SHA-256 of each wording/.test(page), kind === 'quote')
      assert.equal(page.includes('THIS WAS BEFORE'), consentTimestamp !== late)
      const lifted = renderCertificate({ ...certificate, optedOutAt: '2020-06-01T00:00:00.000Z' })
      assert.equal(lifted.includes('IS BEFORE THE STOP'), consentTimestamp !== late)
      assert.match(page, /192\.0\.2\.7 \(of whoever sent the request, .*test\/1 \(as the caller declared it\)/s)
    }
  })

  test('prints on one page before its appendix', { skip: skipWithoutBrowser }, async () => {
    await using fixture = await setUp()
    const { certificate } = await fixture.certifyAndPrint()
    const { personal } = certificate
    assert.ok(personal)
    const content = { ...quote, notes: 'Two cats and a side gate. '.repeat(150), pageUrl: 'https://example.com/quote' }
    const presented = { ...certificate.wording, sha256: '', otherTexts: [{ ...renamed, since: '' }] }
    const optOuts = [{ ...optOut, how: 'withdrew_by_message' }]
    const full = {
      ...certificate,
      optedOutAt: certificate.receivedAt,
      optOuts,
      presented,
      personal: { ...personal, content },
    }
    const browser = await launchBrowser()
    try {
      const page = await browser.newPage()
      await page.setContent(renderCertificate(full).replace(/<section>.*<\/section>/s, ''))
      const pages = (await page.pdf({ format: 'Letter' })).toString('latin1').match(/\/Type\s*\/Page\b/g)
      assert.equal(pages?.length, 1)
    } finally {
      await browser.close()
    }
  })

  test('says what an administrator of the database has altered', async () => {
    await using fixture = await setUp()
    const { lead, certify, certifyAndPrint, attack } = fixture
    attack(`UPDATE wordings SET text = 'I agree to everything.' WHERE sha256 = '${consent.wording.sha256}'`)
    const certificate = await certify()
    assert.equal(certificate?.wording.text, undefined)
    assert.equal(certificate?.statement.text, consent.statement.text)

    for (const personal of ['', 'null', '[]', '{"content":null}', '{"content":{},"userAgent":5}']) {
      attack(`UPDATE leads SET personal = '${personal}' WHERE id = '${lead.id}'`)
      const { certificate: altered, page } = await certifyAndPrint()
      assert.deepEqual([altered.personal?.fits, altered.personal?.text], [false, personal])
      assert.match(page, /NO: it was altered/)
    }
    for (const evidence of ['', 'null', '{}', lead.evidence.replace('"purpose":', '"purpose":5,"other":')]) {
      attack(`UPDATE leads SET evidence = '${evidence}' WHERE id = '${lead.id}'`)
      await assert.rejects(certify(), /^Error: it was altered/)
    }
  })

  test("shows a caller's text literally, and steers no terminal by it, by names neither", async () => {
    await using fixture = await setUp()
    const { lead, certifyAndPrint, attack } = fixture
    const parsed = async () => {
      const { certificate, page } = await certifyAndPrint()
      const text = certificateJson(certificate)
      assert.doesNotMatch(text, /[\p{Bidi_Control}\x7f-\x9f\u2028]/u)
      assert.doesNotMatch(page, /<script|[\u202a-\u202e\u2066-\u2069]/)
      return { content: JSON.parse(text).personal.content, page }
    }
    const { content, page } = await parsed()
    assert.equal(content.notes, '<script>alert(1)</script>\ufffdgnp.exe\ufffd & "quoted"')
    assert.ok(page.includes('&lt;script&gt;alert(1)&lt;/script&gt;\ufffdgnp.exe\ufffd &amp; &quot;quoted&quot;'))
    attack(`UPDATE leads SET personal = '{"content":{"\u202enote\u009bs\u2028":"x"}}' WHERE id = '${lead.id}'`)
    assert.deepEqual((await parsed()).content, { '\ufffdnote\ufffds\ufffd': 'x' })
  })

  test('of an erased lead says what remains and how little it proves', async () => {
    await using fixture = await setUp()
    const { store, lead, certifyAndPrint } = fixture
    await store.inbox.erase([storedLead(lead)], byRequest)
    const { certificate, page } = await certifyAndPrint()
    assert.equal(certificate.personal, undefined)
    assert.match(page, /erased on .*2026-11-22T08:00:00\.000Z\) \(request, by crm\.internal\)/)
    assert.match(page, /It does not show whose it was/)
    assert.ok(page.includes(decodeEvidence(lead.evidence).personalSha256))
    assert.ok(!page.includes('192.0.2.7'))
  })
})
