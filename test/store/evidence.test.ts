// Sealing, and manipulations by a database administrator with the triggers disabled. Each must be found.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { suite } from 'node:test'
import { createSealer, createSealKeys, type Segment } from '../../src/evidence/seal.ts'
import { type EvidenceReport, type Finding, verifyEvidence } from '../../src/evidence/verify.ts'
import type { Store } from '../../src/store/open.ts'
import { consent } from '../support/evidence.ts'
import {
  backends,
  postgresBackend,
  type StoreBackend,
  type StoreFixture,
  sqliteBackend,
  storeTest,
} from './backends.ts'
import { iso, makeLead, noon } from './leads.ts'

const secret = 'a key outside the database'
const newSecret = 'another key outside the database'
const tables = ['leads', 'changes', 'wordings', 'consent_seals']
const forEach = (sql: (table: string) => string) => tables.map(sql).join(';')

/** Runs SQL with the tables' triggers removed, and restores them, so that nothing shows that they were gone. */
async function attack(backend: StoreBackend, url: string, sql: string): Promise<void> {
  const database = await backend.openDatabase(url)
  if (backend === postgresBackend) {
    const all = (what: string) => forEach((table) => `ALTER TABLE ${table} ${what} TRIGGER ALL`)
    await database.exec(`${all('DISABLE')}; ${sql}; ${all('ENABLE')}`)
  } else {
    const triggers = await database.all(`SELECT name, sql FROM sqlite_master WHERE type = 'trigger'`)
    await database.exec(triggers.map(({ name }) => `DROP TRIGGER ${name};`).join(''))
    await database.exec(sql)
    await database.exec(triggers.map((trigger) => `${trigger.sql};`).join(''))
  }
  await database.close()
}

/** Copies the first lead to another position, under an id that was never given out. */
const copyLead = (position: string) =>
  `INSERT INTO leads (position, id, kind, received_at, personal, evidence) SELECT ${position}, '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a10', kind, received_at, personal, evidence FROM leads WHERE position = 1`
/** Copies the first segment. */
const copySegment = (numbers: string) =>
  `INSERT INTO consent_seals SELECT ${numbers}, key_id, seal, sealed_at FROM consent_seals WHERE segment = 1`
const addChange = (position: number, what: string, reason: string, ofPosition: number) =>
  `INSERT INTO changes (position, id, lead_id, kind, what, at, reason) SELECT ${position}, id, id, kind, '${what}', received_at, '${reason}' FROM leads WHERE position = ${ofPosition}`
const wording = `sha256 = '${consent.wording.sha256}'`

/**
 * What is found, and the SQL after which it is found. The leads are at 1 to 5, the third one's erasure is at 6. A lead
 * that is updated is named.
 */
const attacks: Record<string, string[]> = {
  segment_broken: [
    `UPDATE leads SET evidence = replace(evidence, 'rest-v1', 'rpc') WHERE position = 2`,
    `UPDATE leads SET received_at = '2026-11-20T00:00:00.000Z' WHERE position = 1`,
    `DELETE FROM leads WHERE position = 1`,
    `UPDATE leads SET position = 100 WHERE position = 5; ${copyLead('5')}`,
    `UPDATE changes SET at = '2026-11-20T00:00:00.000Z'`,
    copySegment('4, 1, 2, 2'),
    `UPDATE consent_seals SET first_position = 9223372036854775807 WHERE segment = 3`,
    `UPDATE consent_seals SET last_position = 9223372036854775807 WHERE segment = 3`,
    `UPDATE consent_seals SET entries = 9223372036854775807 WHERE segment = 3`,
    `DELETE FROM consent_seals WHERE segment = 3; UPDATE consent_seals SET last_position = 6 WHERE segment = 2`,
  ],
  'segment_broken segment_broken': [
    `UPDATE leads SET position = 100 WHERE position = 1; UPDATE leads SET position = 1 WHERE position = 4; UPDATE leads SET position = 4 WHERE position = 100`,
    `UPDATE consent_seals SET seal = '${'0'.repeat(64)}' WHERE segment = 2`,
  ],
  segment_missing: [
    `DELETE FROM consent_seals WHERE segment = 2`,
    `DELETE FROM leads WHERE position <= 2; DELETE FROM consent_seals WHERE segment = 1`,
  ],
  segment_inserted: [copySegment('0, 0, 0, 0'), copySegment('1152921504606846976, 0, 0, 0')],
  entry_inserted: [copyLead('1152921504606846976'), copyLead('-9007199254740992')],
  'entry_inserted segment_broken': [addChange(1, 'stopped', 'stop', 2)],
  personal_altered: [`UPDATE leads SET personal = replace(personal, '192.0.2.7', '192.0.2.8') WHERE position = 1`],
  personal_missing: [`UPDATE leads SET personal = NULL WHERE position = 1`],
  'personal_missing segment_broken': [`DELETE FROM changes`],
  'personal_altered personal_kept': [`UPDATE leads SET personal = '{}' WHERE position = 3`],
  personal_kept: [addChange(50, 'erased', 'request', 1)],
  'evidence_unreadable segment_broken': [`UPDATE leads SET personal = NULL, evidence = '{}' WHERE position = 1`],
  'key_dropped segment_broken': [`UPDATE consent_seals SET key_id = NULL WHERE segment = 2`],
  key_missing: [`UPDATE consent_seals SET key_id = '0123456789abcdef' WHERE segment = 3`],
  wording_missing: [`DELETE FROM wordings WHERE ${wording}`],
  'wording_altered wording_missing': [`UPDATE wordings SET text = 'I agree to everything.' WHERE ${wording}`],
}

/** What the tests do with a store's evidence. */
function setUp(backend: StoreBackend, { url, store, another, fill }: StoreFixture) {
  const segments: Segment[] = []
  const facts = { nowMs: noon }
  /** The sealer of a replica. An empty key: without one. */
  const sealerOf = ({ evidence }: Store, key = secret) =>
    createSealer({
      store: evidence,
      key: createSealKeys(key ? [key] : [])[0],
      now: () => facts.nowMs,
      onSealed: (segment) => segments.push(segment),
    })
  return {
    url,
    store,
    another,
    segments,
    facts,
    sealerOf,
    addLead: async () => (await fill(makeLead({ atMs: facts.nowMs })))[0].id,
    async seal(key = secret) {
      await sealerOf(store, key).seal({ force: true })
      facts.nowMs += 20_000
    },
    attack: (sql: string) => attack(backend, url, sql),
    async check({ keys = [secret], nowMs = facts.nowMs, witness = [] as string[] } = {}) {
      const findings: Finding[] = []
      const warnings: string[] = []
      const report: EvidenceReport = await verifyEvidence({
        reader: store.evidence,
        keys: createSealKeys(keys),
        now: () => nowMs,
        witness,
        onFinding: (finding) => findings.push(finding),
        onWarning: (text) => warnings.push(text),
      })
      assert.equal(report.failures, findings.length)
      return { report, findings, warnings, reasons: findings.map(({ reason }) => reason) }
    },
  }
}

/** Five leads, of which the third was erased, in three segments. */
async function setUpSealed(backend: StoreBackend, stored: StoreFixture, key = secret) {
  const fixture = setUp(backend, stored)
  const ids: string[] = []
  for (let count = 1; count <= 5; count++) {
    ids.push(await fixture.addLead())
    if (count % 2 === 0) await fixture.seal(key)
  }
  const erasure = { at: iso(fixture.facts.nowMs), reason: 'request', caller: null } as const
  await stored.store.inbox.erase([{ id: String(ids[2]), stoppedAt: null }], erasure)
  await fixture.seal(key)
  return { ...fixture, ids }
}

for (const backend of backends) {
  const testStore = storeTest(backend, [consent.wording, consent.statement])
  /** A test of the five leads in three segments. */
  const testSealed = (title: string, body: (fixture: Awaited<ReturnType<typeof setUpSealed>>) => Promise<void>) =>
    testStore(title, async (stored) => body(await setUpSealed(backend, stored)))

  suite(`sealing with ${backend.name}`, { skip: backend.skip }, () => {
    testStore('leaves 15 seconds between segments, whichever replica sealed the last one', async (stored) => {
      const { addLead, another, facts, sealerOf, store } = setUp(backend, stored)
      const [one, other] = [sealerOf(store), sealerOf(await another())]
      assert.equal(await one.seal({ force: true }), 0)
      await addLead()
      assert.equal(await one.seal({ force: false }), 1)
      await addLead()
      assert.equal(await other.seal({ force: false }), 0)
      facts.nowMs += 14_000
      assert.equal(other.unsealedSeconds, 14)
      assert.equal(await other.seal({ force: false }), 0)
      facts.nowMs += 1_000
      assert.equal(await other.seal({ force: false }), 1)
      assert.equal(other.unsealedSeconds, 0)
    })

    testStore('creates one chain with concurrent sealers', async (stored) => {
      const { store, another, segments, sealerOf } = setUp(backend, stored)
      const sealers = [store, await another(), await another()].map((each) => sealerOf(each))
      for (let round = 0; round < 5; round++) {
        await Promise.all(Array.from({ length: 20 }, () => store.add(makeLead())))
        await Promise.all(sealers.map((sealer) => sealer.seal({ force: true })))
      }
      await sealers[0]?.seal({ force: true })
      segments.sort((a, b) => a.segment - b.segment)
      assert.deepEqual(await store.evidence.segments(0, 100), segments)
      let last = 0
      for (const { first, last: end, entries } of segments) {
        assert.deepEqual([first, entries], [last + 1, end - last])
        last = end
      }
      assert.equal(last, 100)
    })
  })

  suite(`attacks on the evidence in ${backend.name}`, { skip: backend.skip }, () => {
    testSealed('nothing is found in untouched evidence', async ({ segments, addLead, check, seal }) => {
      const ranges = segments.map(({ segment, first, last, entries }) => `${segment}: ${first} to ${last}, ${entries}`)
      assert.deepEqual(ranges, ['1: 1 to 2, 2', '2: 3 to 4, 2', '3: 5 to 6, 2'])
      await addLead()
      const { report, findings, warnings } = await check()
      const counts = { leads: 6, sealed: 5, erased: 1, unsealed: 1, keyed: 3, keyless: 0, failures: 0 }
      assert.deepEqual([report, findings, warnings], [counts, [], []])
      await seal()
      assert.equal((await check()).report.sealed, 6)
    })

    testSealed('finds alterations, and names the leads', async (fixture) => {
      await fixture.attack(forEach((table) => `CREATE TABLE saved_${table} AS SELECT * FROM ${table}`))
      const restoration = forEach((table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM saved_${table}`)
      for (const [reasons, statements] of Object.entries(attacks)) {
        for (const sql of statements) {
          await fixture.attack(sql)
          const { findings, reasons: found } = await fixture.check()
          assert.equal(found.sort().join(' '), reasons, `${sql}\n${JSON.stringify(findings, undefined, 2)}`)
          const [, position] = /^UPDATE leads SET [^;]* WHERE position = (\d)$/.exec(sql) ?? []
          const named = position ? fixture.ids[Number(position) - 1] : undefined
          if (named) assert.ok(findings.some(({ ids }) => ids.includes(named)))
          await fixture.attack(restoration)
          assert.deepEqual((await fixture.check()).findings, [])
        }
      }
    })

    if (backend === sqliteBackend) {
      testSealed('finds bytes in place of a text', async (fixture) => {
        {
          using database = new DatabaseSync(fixture.url.slice('sqlite:'.length), { defensive: false })
          database.exec(`PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET sql = replace(sql, ') STRICT', ')') WHERE type = 'table';
            PRAGMA writable_schema = RESET`)
        }
        await fixture.attack(`UPDATE leads SET personal = CAST(personal AS BLOB) WHERE position = 1;
          UPDATE wordings SET text = CAST(text AS BLOB)`)
        const found = (await fixture.check()).reasons.sort().join(' ')
        assert.equal(found, 'personal_altered wording_altered wording_altered wording_missing wording_missing')
      })
    }

    if (backend === postgresBackend) {
      testSealed('finds rows without a place', async (fixture) => {
        const places = { leads: 'position', changes: 'position', consent_seals: 'segment' }
        for (const [table, column] of Object.entries(places))
          await fixture.attack(`ALTER TABLE ${table} DROP CONSTRAINT ${table}_pkey;
            ALTER TABLE ${table} ALTER ${column} DROP NOT NULL, ALTER ${column} DROP DEFAULT`)
        // A lead is made blank, with an erasure that no segment covers and no consumer sees.
        await fixture.attack(`INSERT INTO changes (lead_id, kind, what, at, reason)
            SELECT id, kind, 'erased', received_at, 'request' FROM leads WHERE position = 1;
          UPDATE leads SET personal = NULL WHERE position = 1`)
        assert.deepEqual((await fixture.check()).reasons, ['entry_inserted'])
        await fixture.attack(`INSERT INTO leads (id, kind, received_at, evidence)
            SELECT gen_random_uuid(), kind, received_at, evidence FROM leads WHERE position = 2;
          ${copySegment('NULL, 1, 2, 2')}`)
        const { findings } = await fixture.check()
        const found = findings.map(({ reason, detail }) => `${reason} ${detail.slice(0, 1)}`)
        assert.deepEqual(found, ['entry_inserted 2', 'segment_inserted 1'])
      })

      testSealed('finds a time that was moved to the same year before Christ', async (fixture) => {
        const moved = (column: string) =>
          `${column} = (to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || '+00 BC')::timestamptz`
        await fixture.attack(`UPDATE leads SET ${moved('received_at')} WHERE position = 1;
          UPDATE changes SET ${moved('at')};
          UPDATE consent_seals SET ${moved('sealed_at')} WHERE segment = 2`)
        assert.deepEqual((await fixture.check()).reasons, ['segment_broken', 'segment_broken', 'segment_broken'])
      })
    }

    testSealed('finds evidence that was kept from being sealed, with a key', async (fixture) => {
      await fixture.attack('DELETE FROM consent_seals WHERE segment = 3')
      assert.deepEqual((await fixture.check()).reasons, [])
      const nowMs = noon + 3_600_000
      const { reasons, report } = await fixture.check({ nowMs })
      assert.deepEqual([reasons, report.unsealed], [['unsealed_too_long'], 1])
      assert.deepEqual((await fixture.check({ nowMs, keys: [] })).reasons, ['key_missing', 'key_missing'])
    })

    testSealed('finds with a witness what only a witness shows', async ({ segments, check, attack, addLead, seal }) => {
      const witness = segments.map(({ seal: value }) => value)
      assert.deepEqual((await check({ witness })).findings, [])
      // The end of the chain with everything that it sealed is removed; then an older database that has continued by
      // itself.
      await attack(`DELETE FROM consent_seals WHERE segment = 3; DELETE FROM leads WHERE position = 5;
        DELETE FROM changes`)
      const cut = await check({ witness })
      assert.ok(cut.reasons.includes('witness_missing'))
      assert.ok(cut.findings.some(({ detail }) => detail.includes(String(witness[2]))))
      await addLead()
      await seal()
      assert.ok((await check({ witness })).reasons.includes('witness_missing'))
    })

    testSealed('continues with a new key, and recognizes the old one', async ({ check, addLead, seal }) => {
      await addLead()
      await seal(newSecret)
      assert.deepEqual((await check({ keys: [newSecret, secret] })).reasons, [])
      assert.deepEqual((await check({ keys: [secret] })).reasons, ['key_missing'])
      assert.deepEqual((await check({ keys: [newSecret] })).reasons, ['key_missing', 'key_missing', 'key_missing'])
    })

    testStore('accepts a chain without a key with a warning, but not after one with a key', async (stored) => {
      const { attack, check, addLead, seal } = await setUpSealed(backend, stored, '')
      assert.equal((await check({ keys: [] })).report.keyless, 3)
      await addLead()
      await seal()
      const adopted = await check()
      assert.deepEqual([adopted.findings, adopted.warnings.length], [[], 1])
      await addLead()
      await seal('')
      assert.deepEqual((await check()).reasons, ['key_dropped'])
      // It shows what is not concealed.
      await attack(`DELETE FROM consent_seals WHERE segment > 3; ${attacks.segment_broken?.[0]}`)
      assert.deepEqual((await check({ keys: [] })).reasons, ['segment_broken'])
    })
  })
}
