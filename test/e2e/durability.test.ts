import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { backends } from '../store/backends.ts'
import { metricOf, post } from '../support/http.ts'
import { intakeClient, startService } from '../support/service.ts'
import { quote, unique } from '../support/submissions.ts'
import { until } from '../support/until.ts'

for (const { name, newUrl, openDatabase, skip } of backends) {
  test(`with ${name}, a lead that is stored after its request or call has ended is logged and counted`, {
    skip,
  }, async () => {
    await using service = await startService({ DATABASE_URL: await newUrl() }, { storeDeadlineMs: 300 })
    const database = await openDatabase(service.databaseUrl)
    const intake = intakeClient(service.internalUrl)
    const read = async () =>
      (await database.all('SELECT id, evidence FROM leads')).map(({ id, evidence }) => {
        const { path, requestId } = JSON.parse(String(evidence))
        return { path, requestId, leadId: String(id), evidenceSha256: hash('sha256', String(evidence)) }
      })
    // An attempt that the rollback lets through takes both. On a slow machine, it may be a later one.
    const stored = await until('one of each is stored', async () => {
      await database.exec(name === 'SQLite' ? 'BEGIN IMMEDIATE' : 'BEGIN; LOCK TABLE leads')
      const value = { ...quote, notes: `A call ${Math.random()}` }
      assert.equal((await post(service.url, unique())).status, 503)
      const call = intake.submitLead({ lead: { case: 'quoteRequest', value } }, { timeoutMs: 50 })
      await assert.rejects(call, /deadline_exceeded/)
      await database.exec('ROLLBACK')
      const leads = await read()
      return new Set(leads.map(({ path }) => path)).size === 2 && leads
    })
    for (const { path, ...facts } of stored || []) {
      const line = await until('its line', () => service.log().match(`.*${facts.leadId}.*`)?.[0])
      assert.partialDeepStrictEqual(JSON.parse(String(line)), facts)
      const counted = () => metricOf(service.opsUrl, `lead_intake_leads_total{path="${path}",outcome="created"}`)
      const isCounted = async () => (await counted()) === (await read()).filter((other) => other.path === path).length
      await until('all are counted', isCounted)
    }
    await database.close()
  })
}
