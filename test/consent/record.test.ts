import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { decodeEvidence } from '../../src/consent/evidence-texts.ts'
import { createOptOuts } from '../../src/consent/opt-outs.ts'
import { createRecord, recordJson } from '../../src/consent/record.ts'
import { renderRecord } from '../../src/consent/record-page.ts'
import { createConsentTexts } from '../../src/consent/wording.ts'
import { sha256 } from '../../src/lead/fingerprint.ts'
import { openStore } from '../../src/store/open.ts'
import { escapeHtml } from '../../src/template.ts'
import { newFile } from '../store/backends.ts'
import { byRequest, listedOptOut, makeLead, noon } from '../store/leads.ts'
import { launchBrowser, skipWithoutBrowser } from '../support/browser.ts'
import { business, consent } from '../support/evidence.ts'
import { quote } from '../support/submissions.ts'

const named = (name: string) => createConsentTexts({ ...business, name }, 'Write to {BUSINESS_NAME}.').wording
const earlier = named('An earlier name')

async function setUp() {
  const file = newFile('leads.db')
  const publishedTexts = [consent.wording, consent.statement, consent.business, earlier]
  const store = await openStore({ url: `sqlite:${file}`, publishedTexts })
  const hostile = '<script>alert(1)</script>\u202egnp.exe\u0007 & "quoted"'
  const content = { formType: 'quote', notes: hostile, communicationsConsent: true }
  const lead = makeLead({ content, from: { userAgent: hostile } })
  for (const each of [makeLead(), lead, makeLead()]) await store.add(each)
  const optOuts = createOptOuts(store.inbox, () => noon)
  const recordOf = (id = lead.id) => createRecord(id, store, noon)
  const printed = async (id = lead.id) => {
    const record = await recordOf(id)
    assert.ok(record)
    return { record, page: renderRecord(record, 'America/Chicago') }
  }
  /** As somebody who has dropped the triggers. */
  function attack(sql: string) {
    using database = new DatabaseSync(file)
    for (const { name } of database.prepare(`SELECT name FROM sqlite_master WHERE type = 'trigger'`).all())
      database.exec(`DROP TRIGGER ${name}`)
    database.exec(sql)
  }
  return { store, lead, optOuts, recordOf, printed, attack, [Symbol.asyncDispose]: () => store.close() }
}

suite('a consent record', () => {
  test('has the full texts, the business of that time, the submitted data, and the hash that the log has', async () => {
    await using fixture = await setUp()
    const { lead, recordOf, printed } = fixture
    const { record, page } = await printed()
    assert.deepEqual(record.evidence, decodeEvidence(lead.evidence))
    assert.deepEqual([record.wording.text, record.statement.text], [consent.wording.text, consent.statement.text])
    assert.deepEqual([record.personal?.fits, record.personal?.clientAddress], [true, '192.0.2.7'])
    assert.equal(record.evidenceSha256, sha256(lead.evidence))
    assert.equal(await recordOf('0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a10'), undefined)
    for (const part of [
      ...[lead.id, record.evidenceSha256, consent.statement.text, escapeHtml(consent.wording.text), 'REST, version 1'],
      ...['Example &amp; Sons Cleaning', '1 Main Street, Springfield · (202) 555-0100 · office@example.com'],
      ...['What this record cannot show', 'Fed. R. Evid. 902(11)', 'under penalty of perjury'],
    ])
      assert.ok(page.includes(part), part)
    assert.match(page, /<th>Received<.th><td>2026-11-21T12:00:00\.000Z \(Nov 21, 2026, 6:00:00 AM CST\)/)
  })

  test('has every opt-out of the person, in UTC and local time', async () => {
    await using fixture = await setUp()
    const plain = makeLead({ content: { formType: 'quote', ...quote, phone: '2025550123' } })
    await fixture.store.add(plain)
    const said = { name: 'Pat', saidAt: new Date(noon - 86_400_001).toISOString(), how: 'called' } as const
    for (const contact of ['2025550123', String(quote.email)]) {
      const channels = contact.includes('@') ? (['email'] as const) : (['phone', 'text'] as const)
      await fixture.optOuts.record({ contact, channels, ...said }, 'crm.internal')
    }
    const { record, page } = await fixture.printed(plain.id)
    assert.equal(page.split('>said 2026-11-20T').length, 3)
    assert.match(
      page,
      /2025550123<.th><td>said .*CST\) \(called; phone, text; name given: Pat\)\. Recorded .* by crm\.internal</,
    )
    assert.match(page, /<th>Opt-out<.th><td>One of this number or address was recorded: /)
    const restored = { ...listedOptOut, how: 'restore' }
    assert.match(renderRecord({ ...record, optOuts: [restored] }), /reported by a copy after/)
    const day = { ...listedOptOut, saidAt: '2026-11-20T12:00:00.000Z' }
    for (const zone of ['Pacific/Honolulu', 'America/St_Johns'])
      assert.match(renderRecord({ ...record, optOuts: [day] }, zone), />said 2026-11-20 \(/)
    const now = { ...listedOptOut, saidAt: listedOptOut.recordedAt }
    assert.doesNotMatch(renderRecord({ ...record, optOuts: [now] }), />said /)
  })

  test('says which wording was presented and which was in force, but nothing about consent for a message', async () => {
    await using fixture = await setUp()
    const [inTime, received, tooLate] = ['2099-01-01T11:59:00Z', '2099-01-01T12:00:00Z', '2099-01-01T12:00:01Z']
    const both = /Write to An earlier name.*the second version, NOT IN FORCE ON ARRIVAL/s
    const tooEarly = /as the caller stated\. THIS WAS BEFORE this database first had/
    for (const [kind, presented, consentTimestamp, stated] of [
      ['quote', undefined, inTime, /did not name the version of the wording that it presented/],
      ['quote', consent.wording, inTime, /as the one presented to the customer, perhaps in translation\./],
      ['quote', earlier, inTime, both],
      ['quote', consent.wording, '2020-01-01T00:00:00Z', tooEarly],
      ['quote', consent.wording, '2016-12-31T23:59:60Z', tooEarly],
      ['quote', consent.wording, tooLate, /THIS WAS AFTER the request arrived</],
      ['support', consent.wording, inTime, /<h1>Record of a contact message.*<th>Consent<.th><td>Not asked for</s],
    ] as const) {
      const content = { ...(kind === 'quote' ? { communicationsConsent: true } : {}), consentTimestamp }
      const lead = makeLead({ kind, content, presented, atMs: Date.parse(received) })
      await fixture.store.add(lead)
      const { page } = await fixture.printed(lead.id)
      assert.match(page, stated)
      for (const part of ['The wording in force', 'Time of consent', 'Our documentation says', 'In which layout'])
        assert.equal(page.includes(part), kind === 'quote', part)
      assert.equal(page.includes('THIS WAS'), consentTimestamp !== inTime)
      assert.match(page, /192\.0\.2\.7 \(of whoever sent the request, .*test\/1 \(as the caller declared it\)/s)
    }
  })

  test('prints on one page', { skip: skipWithoutBrowser }, async () => {
    await using fixture = await setUp()
    const { record } = await fixture.printed()
    const { personal } = record
    assert.ok(personal)
    const content = {
      ...quote,
      notes: `${'Two cats and a side gate. '.repeat(40)}Stop calling me.`,
      pageUrl: 'https://example.com/quote',
    }
    const presented = { ...record.wording, sha256: '' }
    const optOuts = [listedOptOut, { ...listedOptOut, contact: 'pat@example.com', how: 'withdrew_by_message' }]
    const full = { ...record, optedOutAt: record.receivedAt, optOuts, presented, personal: { ...personal, content } }
    const browser = await launchBrowser()
    try {
      const page = await browser.newPage()
      await page.setContent(renderRecord(full))
      assert.match(await page.content(), /Stop calling me\.<.*>Possible opt-out</s)
      const pages = (await page.pdf({ format: 'Letter' })).toString('latin1').match(/\/Type\s*\/Page\b/g)
      assert.equal(pages?.length, 1)
    } finally {
      await browser.close()
    }
  })

  test('says what an administrator of the database has altered', async () => {
    await using fixture = await setUp()
    const { lead, recordOf, printed, attack } = fixture
    attack(`UPDATE wordings SET text = 'I agree to everything.' WHERE sha256 = '${consent.wording.sha256}'`)
    const record = await recordOf()
    assert.equal(record?.wording.text, undefined)
    assert.equal(record?.statement.text, consent.statement.text)
    const { page } = await printed()
    assert.match(page, /No declaration: this record was altered\./)
    assert.doesNotMatch(page, /under penalty of perjury/)

    for (const personal of ['', 'null', '[]', '{"content":null}', '{"content":{},"userAgent":5}']) {
      attack(`UPDATE leads SET personal = '${personal}' WHERE id = '${lead.id}'`)
      const { record: altered, page } = await printed()
      assert.deepEqual([altered.personal?.fits, altered.personal?.text], [false, personal])
      assert.match(page, /WHAT WAS SENT WAS ALTERED.*Not looked up.*No declaration: this record was altered\./s)
      assert.doesNotMatch(page, /None is recorded|under penalty of perjury/)
    }
    for (const evidence of ['', 'null', '{}']) {
      attack(`UPDATE leads SET evidence = '${evidence}' WHERE id = '${lead.id}'`)
      await assert.rejects(recordOf(), evidence === '' ? SyntaxError : /^Error: it was altered/)
    }
    attack(`UPDATE leads SET evidence = '${lead.evidence}', received_at = '2026-11-20T12:00:00.000Z'`)
    await assert.rejects(recordOf(), /^Error: it was altered/)
  })

  test("shows a caller's text and names literally, and lets none control a terminal", async () => {
    await using fixture = await setUp()
    const { lead, printed, attack } = fixture
    const alter = `UPDATE leads SET personal = '{"content":{"\u202enote\u009bs\u2028":"x"}}' WHERE id = '${lead.id}'`
    const shown = '<script>alert(1)</script>\ufffdgnp.exe\ufffd & "quoted"'
    // An altered text is shown as it is, and not read.
    for (const notes of [shown, undefined]) {
      const { record, page } = await printed()
      const text = recordJson(record)
      assert.doesNotMatch(text, /[\p{Bidi_Control}\x7f-\x9f\u2028]/u)
      assert.doesNotMatch(page, /<script|[\u202a-\u202e\u2066-\u2069]/)
      assert.equal(JSON.parse(text).personal.content.notes, notes)
      assert.equal(page.includes(escapeHtml(shown)), notes !== undefined)
      attack(alter)
    }
  })

  test('of an erased lead says what remains, and how little it proves', async () => {
    await using fixture = await setUp()
    const { store, lead, printed } = fixture
    await store.inbox.erase([lead.id], byRequest)
    const { record, page } = await printed()
    assert.equal(record.personal, undefined)
    // What is no longer known of its opt-outs.
    assert.doesNotMatch(recordJson(record), /optedOut(OfAll|Channels)/)
    assert.match(page, /erased on 2026-11-22T08:00:00\.000Z \(.*\) \(by hand or by a program, caller crm\.internal\)/)
    assert.match(page, /arrived at this time, not whose it was/)
    assert.ok(page.includes(record.evidenceSha256))
    assert.ok(!page.includes('192.0.2.7'))
  })
})
