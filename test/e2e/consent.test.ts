// What the evidence says that was presented to a customer, while the wording changes (docs/specification.md §4a, §9).
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, suite, test } from 'node:test'
import { refusalOf } from '../rpc/rpc-server.ts'
import { assertProblem, freshClient, get, metricOf, post } from '../support/http.ts'
import { newFolder } from '../support/machine.ts'
import { inboxClient, intakeClient, startService } from '../support/service.ts'
import { contact, quote, unique } from '../support/submissions.ts'
import { until } from '../support/until.ts'

const folder = newFolder()
const CONSENT_WORDING_FILE = join(folder, 'wording.txt')
writeFileSync(CONSENT_WORDING_FILE, 'Call me, {BUSINESS_NAME}. I can stop it at any time.')
const env = { DATABASE_URL: `sqlite:${join(folder, 'leads.db')}`, BUSINESS_NAME: 'Pat & Sons {BUSINESS_PHONE}' }
const noticeOf = async (url: string) =>
  (await get(`${url}/api/v1`)).json.consent as { version: string; wording: string }
const earlier = await startService(env)
const old = await noticeOf(earlier.url)
await earlier.stop()
const service = await startService({ ...env, CONSENT_WORDING_FILE })
const now = await noticeOf(service.url)
after(() => service.stop())

const intake = intakeClient(service.internalUrl)
const headers = (version: string) => ({ 'Consent-Version': version })
const overRpc = (consentVersion: string, change = {}) =>
  intake.submitLead({ lead: { case: 'quoteRequest', value: { ...unique(), ...change } }, origin: { consentVersion } })

suite('the wording presented to the customer', () => {
  test('is recorded as the caller states it, with the one in force', async () => {
    assert.notEqual(old.version, now.version)
    assert.equal(now.wording, 'Call me, Pat & Sons {BUSINESS_PHONE}. I can stop it at any time.')
    const presented = async (id: unknown) => {
      const { consent } = (await inboxClient(service.internalUrl).getLead({ id: String(id) })).lead ?? {}
      assert.equal(consent?.wordingVersion, now.version)
      assert.equal(consent.presentedSha256 === consent.wordingSha256, consent.presentedVersion === now.version)
      return [consent.presentedVersion, consent.presentedSha256?.length, consent.communicationsConsent]
    }
    for (const [sent, stated, body = quote] of [
      [now.version, now.version],
      [old.version, old.version],
      [`"${now.version.toUpperCase()}"`, now.version],
      ['', undefined],
      // A message has no consent.
      [now.version, undefined, contact],
      ['unknown', undefined, contact],
    ] as const) {
      const { status, json } = await post(service.url, unique(body), { headers: headers(sent) })
      assert.equal(status, 201, sent)
      assert.deepEqual(await presented(json.id), [stated, stated && 64, body === quote || undefined])
    }
    assert.deepEqual(await presented((await overRpc(old.version)).id), [old.version, 64, true])
    assert.deepEqual(await presented((await overRpc('')).id), [undefined, undefined, true])
  })

  test('is refused, with the wording in force, if this service never had it', async () => {
    const unknown = ['2026-01-01', `${old.version}, ${now.version}`, '""', '\u00ff', now.version.padEnd(101, '0')]
    const refusal = { communicationsConsent: false, phone: '1' }
    for (const version of unknown)
      for (const change of [{}, refusal]) {
        const answer = await post(service.url, { ...unique(), ...change }, { headers: headers(version) })
        assertProblem(answer, 422, 'validation_failed')
        assert.deepEqual(answer.json.consent, now)
        const pointers = answer.json.errors?.map(({ pointer }) => pointer)
        const others = change === refusal ? ['#/communicationsConsent', '#/phone'] : []
        assert.deepEqual(pointers, [...others, '#/Consent-Version'])
      }
    for (const version of ['2026-01-01', `${now.version}\0`]) {
      const { problem } = await refusalOf(overRpc(version))
      assert.deepEqual([problem?.code, problem?.consent?.version], ['validation_failed', now.version])
      assert.equal(problem?.errors.map(({ pointer }) => pointer).join(), '#/origin/consentVersion')
    }
  })

  test('does not matter to a repeated submission, which gets the first receipt', async () => {
    const body = unique()
    const options = { client: freshClient(), headers: { ...headers(old.version), 'Idempotency-Key': 'one' } }
    const first = await post(service.url, body, options)
    const again = await post(service.url, body, { ...options, headers: { 'Idempotency-Key': 'one' } })
    const other = await post(service.url, body, { headers: headers(now.version) })
    assert.deepEqual([again.json, other.json], [first.json, { ...first.json, duplicate: true }])
  })

  test('makes the same quote a new lead after an opt-out, unless its key shows that it is a retry', async () => {
    const inbox = inboxClient(service.internalUrl)
    const body = { ...quote, phone: '202-555-0177', email: 'robin@example.org' }
    const options = { client: freshClient(), headers: { 'Idempotency-Key': 'two' } }
    const first = await post(service.url, body, options)
    assert.equal((await post(service.url, body)).json.duplicate, true)
    const { recordedAt } = await inbox.recordOptOut({ contact: body.phone })
    const send = () => post(service.url, body)
    const later = await until('a new lead', async () => [await send()].find(({ status }) => status === 201))
    const { lead } = await inbox.getLead({ id: String(later?.json.id) })
    assert.deepEqual([lead?.optedOutAt, lead?.consent?.communicationsConsent], [recordedAt, true])
    assert.deepEqual((await post(service.url, body, options)).json, first.json)
    assert.equal((await send()).json.duplicate, true)
  })
})

test('if a wording cannot be looked up, other leads are stored or refused as ever, and the log does not say that none can be', async () => {
  await using next = await startService()
  using database = new DatabaseSync(next.databaseUrl.slice('sqlite:'.length))
  database.exec('ALTER TABLE wordings RENAME TO w2')
  const stated = headers('2026-01-01')
  assert.equal((await post(next.url, unique(contact), { headers: stated })).status, 201)
  assert.doesNotMatch(next.log(), /looked up/)
  assertProblem(await post(next.url, unique(), { headers: stated }), 503, 'service_unavailable')
  for (const [body, fields, status] of [
    [unique(), {}, 201],
    [{ ...unique(), phone: '1' }, stated, 422],
    [unique(), { ...stated, 'Idempotency-Key': 'a b' }, 400],
  ] as const)
    assert.equal((await post(next.url, body, { headers: fields })).status, status)
  assert.match(next.log(), /no such table: wordings.*cannot be looked up/)
  assert.doesNotMatch(next.log(), /leads c.* be stored/)
})

test('leads of a form with an old wording are counted, and one warning a day names its website', async () => {
  let nowMs = Date.parse('2027-01-01T12:00:00Z')
  await using next = await startService({ ...env, CONSENT_WORDING_FILE }, { now: () => nowMs })
  const send = (version: string, changes: object) =>
    post(next.url, { ...unique(), consentTimestamp: undefined, ...changes }, { headers: headers(version) })
  const page = { pageUrl: 'https://www.example.com:8443/quote?name=Pat' }
  for (const version of [old.version, old.version, now.version]) assert.equal((await send(version, page)).status, 201)
  assert.equal((await send(old.version, { phone: '1' })).status, 422)
  assert.equal(await metricOf(next.opsUrl, 'lead_intake_outdated_wording_total'), 2)
  const warned = () => [...next.log().matchAll(/"origin":"([^"]+)".*wording that is not in force/g)].map(([, at]) => at)
  assert.deepEqual(warned(), ['https://www.example.com:8443'])
  assert.doesNotMatch(next.log(), /quote\?name/)
  nowMs += 86_400_000
  await send(old.version, { pageUrl: 'https://other.example.com/' })
  assert.deepEqual(warned(), ['https://www.example.com:8443', 'https://other.example.com'])
})
