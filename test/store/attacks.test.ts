// Manipulations of the evidence by a database administrator with the triggers disabled. Each must be found.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { suite, type TestContext, test } from 'node:test'
import { createSealer, createSealKeys, type Segment } from '../../src/evidence/seal.ts'
import { type EvidenceReport, type Finding, verifyEvidence } from '../../src/evidence/verify.ts'
import { openStore } from '../../src/store/open.ts'
import { consent } from '../support/evidence.ts'
import { backends, postgresBackend, type StoreBackend, sqliteBackend } from './backends.ts'
import { makeLead, noon } from './leads.ts'

const secret = 'a key outside the database'
const tables = ['leads', 'changes', 'wordings', 'consent_seals']

/** Runs SQL with the tables' triggers removed, and restores them, so that nothing shows that they were gone. */
async function attack(backend: StoreBackend, url: string, sql: string): Promise<void> {
  const database = await backend.openDatabase(url)
  if (backend === postgresBackend) {
    const all = (what: string) => tables.map((table) => `ALTER TABLE ${table} ${what} TRIGGER ALL;`).join('')
    await database.exec(`${all('DISABLE')} ${sql}; ${all('ENABLE')}`)
  } else {
    const triggers = await database.all(`SELECT name, sql FROM sqlite_master WHERE type = 'trigger'`)
    await database.exec(triggers.map(({ name }) => `DROP TRIGGER ${name};`).join(''))
    await database.exec(sql)
    await database.exec(triggers.map((trigger) => `${trigger.sql};`).join(''))
  }
  await database.close()
}

interface Fixture {
  url: string
  /** The ids of five leads. The third was erased. */
  ids: string[]
  segments: Segment[]
  check(options?: { keys?: string[]; nowMs?: number; witness?: string[] }): Promise<{
    report: EvidenceReport
    findings: Finding[]
    warnings: string[]
  }>
  seal(key?: string): Promise<void>
  addLead(): Promise<string>
}

const stranger = '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a10'
/** Copies a lead to another position, under an id that was never given out. */
const copyLead = (position: string, id: string | undefined) =>
  `INSERT INTO leads (position, id, kind, received_at, personal, evidence) SELECT ${position}, '${stranger}', kind, received_at, personal, evidence FROM leads WHERE id = '${id}'`
const addChange = (position: number, what: string, reason: string, which: string) =>
  `INSERT INTO changes (position, id, lead_id, kind, what, at, reason, with_stop) SELECT ${position}, id, id, kind, '${what}', received_at, '${reason}', 0 FROM leads WHERE ${which}`

const lines = (findings: readonly Finding[]) => findings.map(({ reason }) => reason)

for (const backend of backends) {
  const attackTest = (
    title: string,
    body: (fixture: Fixture, t: TestContext) => Promise<void>,
    key: string | null = secret,
  ) =>
    test(title, async (t) => {
      const url = await backend.newUrl()
      const store = await openStore({ url, wordings: [consent.wording, consent.statement] })
      try {
        let nowMs = noon
        const fixture: Fixture = {
          url,
          ids: [],
          segments: [],
          async check({ keys = key === null ? [] : [key], nowMs: at = nowMs, witness = [] } = {}) {
            const findings: Finding[] = []
            const warnings: string[] = []
            const report = await verifyEvidence({
              reader: store.evidence,
              keys: createSealKeys(keys),
              now: () => at,
              witness,
              onFinding: (finding) => findings.push(finding),
              onWarning: (text) => warnings.push(text),
            })
            assert.equal(report.failures, findings.length)
            return { report, findings, warnings }
          },
          async seal(sealKey = key ?? undefined) {
            const [made] = createSealKeys(sealKey === undefined || sealKey === '' ? [] : [sealKey])
            const onSealed = (segment: Segment) => fixture.segments.push(segment)
            await createSealer({ store: store.evidence, key: made, now: () => nowMs, onSealed }).seal({ force: true })
            nowMs += 20_000
          },
          async addLead() {
            const lead = makeLead({ atMs: nowMs })
            await store.add(lead)
            return lead.id
          },
        }
        for (let count = 1; count <= 5; count++) {
          fixture.ids.push(await fixture.addLead())
          if (count % 2 === 0) await fixture.seal()
        }
        await store.inbox.erase(String(fixture.ids[2]), {
          at: new Date(nowMs).toISOString(),
          reason: 'request',
          caller: null,
        })
        await fixture.seal()
        await body(fixture, t)
      } finally {
        await store.close()
      }
    })

  suite(`attacks on the evidence in ${backend.name}`, { skip: backend.skip }, () => {
    attackTest('untouched evidence passes, and unsealed entries are counted', async ({ check, addLead, seal }) => {
      await addLead()
      const counts = { leads: 6, sealed: 5, erased: 1, unsealed: 1, keyed: 3, keyless: 0, failures: 0 }
      assert.deepEqual(await check(), { report: counts, findings: [], warnings: [] })
      await seal()
      assert.equal((await check()).report.sealed, 6)
    })

    const attacks: [title: string, sql: (ids: string[]) => string, reasons: string[], names?: number[]][] = [
      [
        'another evidence',
        ([, id]) => `UPDATE leads SET evidence = replace(evidence, 'rest-v1', 'rpc') WHERE id = '${id}'`,
        ['segment_broken'],
        [1],
      ],
      [
        'another time of receipt',
        ([id]) => `UPDATE leads SET received_at = '2026-11-20T00:00:00.000Z' WHERE id = '${id}'`,
        ['segment_broken'],
        [0],
      ],
      [
        'another address',
        ([id]) => `UPDATE leads SET personal = replace(personal, '192.0.2.7', '192.0.2.8') WHERE id = '${id}'`,
        ['personal_altered'],
        [0],
      ],
      [
        'a personal part that is gone without an erasure',
        ([id]) => `UPDATE leads SET personal = NULL WHERE id = '${id}'`,
        ['personal_missing'],
        [0],
      ],
      [
        'a personal part that is back after an erasure',
        ([, , id]) => `UPDATE leads SET personal = '{}' WHERE id = '${id}'`,
        ['personal_kept', 'personal_altered'],
        [2],
      ],
      [
        'evidence and hash that fit each other',
        ([id]) => `UPDATE leads SET personal = NULL, evidence = '{}' WHERE id = '${id}'`,
        ['evidence_unreadable', 'segment_broken'],
        [0],
      ],
      [
        'a lead that was deleted',
        ([id]) => `DELETE FROM leads WHERE id = '${id}'; DELETE FROM claims WHERE lead_id = '${id}'`,
        ['segment_broken'],
      ],
      [
        'the first segment and its leads deleted',
        () => `DELETE FROM leads WHERE position <= 2; DELETE FROM consent_seals WHERE segment = 1`,
        ['segment_missing'],
      ],
      ...['1152921504606846976', '-9007199254740992'].map((place): (typeof attacks)[number] => [
        `a lead inserted at place ${place}`,
        ([id]) => copyLead(place, id),
        ['entry_inserted'],
      ]),
      ...['0', '1152921504606846976'].map((number): (typeof attacks)[number] => [
        `a segment ${number}`,
        () =>
          `INSERT INTO consent_seals SELECT ${number}, 0, 0, 0, key_id, seal, sealed_at FROM consent_seals WHERE segment = 1`,
        ['segment_inserted'],
      ]),
      [
        'a segment that is there twice, under the next number',
        () =>
          `INSERT INTO consent_seals SELECT 4, 1, 2, 2, key_id, seal, sealed_at FROM consent_seals WHERE segment = 1`,
        ['segment_broken'],
      ],
      [
        'an erasure of a lead that is not erased',
        ([id]) => addChange(50, 'erased', 'request', `id = '${id}'`),
        ['personal_kept'],
        [0],
      ],
      [
        'a lead at a place between others',
        ([id]) => `UPDATE leads SET position = 100 WHERE position = 5; ${copyLead('5', id)}`,
        ['segment_broken'],
      ],
      [
        'two leads that have changed places',
        () =>
          `UPDATE leads SET position = 100 WHERE position = 1; UPDATE leads SET position = 1 WHERE position = 4; UPDATE leads SET position = 4 WHERE position = 100`,
        ['segment_broken', 'segment_broken'],
      ],
      [
        'a place that is used twice',
        () => addChange(1, 'stopped', 'stop', 'position = 2'),
        ['entry_inserted', 'segment_broken'],
      ],
      [
        'an erasure that was removed',
        ([, , id]) => `DELETE FROM changes WHERE lead_id = '${id}'`,
        ['personal_missing', 'segment_broken'],
        [2],
      ],
      ['a changed time of an erasure', () => `UPDATE changes SET at = '2026-11-20T00:00:00.000Z'`, ['segment_broken']],
      ['a missing segment', () => `DELETE FROM consent_seals WHERE segment = 2`, ['segment_missing']],
      [
        'another seal',
        () => `UPDATE consent_seals SET seal = '${'0'.repeat(64)}' WHERE segment = 2`,
        ['segment_broken', 'segment_broken'],
      ],
      ...['first_position', 'last_position', 'entries'].map((column): (typeof attacks)[number] => [
        `an impossible ${column} of a segment`,
        () => `UPDATE consent_seals SET ${column} = 9223372036854775807 WHERE segment = 3`,
        ['segment_broken'],
      ]),
      [
        'a seal without its key',
        () => `UPDATE consent_seals SET key_id = NULL WHERE segment = 2`,
        ['key_dropped', 'segment_broken'],
      ],
      [
        'a seal under another key',
        () => `UPDATE consent_seals SET key_id = '0123456789abcdef' WHERE segment = 3`,
        ['key_missing'],
      ],
      [
        'segments made into one',
        () =>
          `DELETE FROM consent_seals WHERE segment = 3; UPDATE consent_seals SET last_position = 6 WHERE segment = 2`,
        ['segment_broken'],
      ],
      [
        'a wording that is gone',
        () => `DELETE FROM wordings WHERE sha256 = '${consent.wording.sha256}'`,
        ['wording_missing'],
        [0],
      ],
      [
        'another text of a wording',
        () => `UPDATE wordings SET text = 'I agree to everything.' WHERE sha256 = '${consent.wording.sha256}'`,
        ['wording_altered', 'wording_missing'],
      ],
    ]
    attackTest('finds alterations, and names the leads', async ({ url, ids, check }, t) => {
      const each = (sql: (table: string) => string) => tables.map(sql).join(';')
      await attack(
        backend,
        url,
        each((table) => `CREATE TABLE saved_${table} AS SELECT * FROM ${table}`),
      )
      for (const [title, sql, reasons, names = []] of attacks) {
        await t.test(title, async () => {
          await attack(backend, url, sql(ids))
          const { findings, report } = await check()
          assert.deepEqual(lines(findings).sort(), reasons.toSorted(), JSON.stringify(findings, undefined, 2))
          for (const name of names) assert.ok(findings.some((finding) => finding.ids.includes(String(ids[name]))))
          assert.ok(report.failures > 0)
          await attack(
            backend,
            url,
            each((table) => `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM saved_${table}`),
          )
          assert.deepEqual((await check()).findings, [])
        })
      }
    })

    if (backend === sqliteBackend) {
      attackTest('finds bytes in place of a text', async ({ url, check }) => {
        {
          using database = new DatabaseSync(url.slice('sqlite:'.length), { defensive: false })
          database.exec(`PRAGMA writable_schema = ON;
            UPDATE sqlite_master SET sql = replace(sql, ') STRICT', ')') WHERE type = 'table';
            PRAGMA writable_schema = RESET`)
        }
        await attack(backend, url, 'UPDATE leads SET personal = CAST(personal AS BLOB) WHERE position = 1')
        await attack(backend, url, 'UPDATE wordings SET text = CAST(text AS BLOB)')
        const { findings } = await check()
        assert.deepEqual(lines(findings).sort(), [
          'personal_altered',
          'wording_altered',
          'wording_altered',
          'wording_missing',
          'wording_missing',
        ])
      })
    }

    if (backend === postgresBackend) {
      attackTest('finds rows without a place', async ({ url, check }) => {
        for (const [table, column] of [
          ['leads', 'position'],
          ['changes', 'position'],
          ['consent_seals', 'segment'],
        ]) {
          await attack(backend, url, `ALTER TABLE ${table} DROP CONSTRAINT ${table}_pkey`)
          await attack(backend, url, `ALTER TABLE ${table} ALTER ${column} DROP NOT NULL, ALTER ${column} DROP DEFAULT`)
        }
        // A lead is made blank, with an erasure that no segment covers and no consumer sees.
        await attack(
          backend,
          url,
          `INSERT INTO changes (lead_id, kind, what, at, reason)
            SELECT id, kind, 'erased', received_at, 'request' FROM leads WHERE position = 1;
          UPDATE leads SET personal = NULL WHERE position = 1`,
        )
        assert.deepEqual(lines((await check()).findings), ['entry_inserted'])
        await attack(
          backend,
          url,
          `INSERT INTO leads (id, kind, received_at, evidence)
            SELECT gen_random_uuid(), kind, received_at, evidence FROM leads WHERE position = 2;
          INSERT INTO consent_seals SELECT NULL, 1, 2, 2, key_id, seal, sealed_at FROM consent_seals WHERE segment = 1`,
        )
        assert.deepEqual(
          (await check()).findings.map(({ reason, detail }) => `${reason} ${detail.slice(0, 1)}`),
          ['entry_inserted 2', 'segment_inserted 1'],
        )
      })

      attackTest('finds a time that was moved to the same year before Christ', async ({ url, check }) => {
        const moved = (column: string) =>
          `(to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || '+00 BC')::timestamptz`
        await attack(backend, url, `UPDATE leads SET received_at = ${moved('received_at')} WHERE position = 1`)
        await attack(backend, url, `UPDATE changes SET at = ${moved('at')}`)
        await attack(backend, url, `UPDATE consent_seals SET sealed_at = ${moved('sealed_at')} WHERE segment = 2`)
        assert.deepEqual(lines((await check()).findings), ['segment_broken', 'segment_broken', 'segment_broken'])
      })
    }

    attackTest('finds evidence that was kept from being sealed, with a key', async ({ url, check }) => {
      await attack(backend, url, 'DELETE FROM consent_seals WHERE segment = 3')
      assert.deepEqual(lines((await check()).findings), [])
      const { findings, report } = await check({ nowMs: noon + 3_600_000 })
      assert.deepEqual(lines(findings), ['unsealed_too_long'])
      assert.equal(report.unsealed, 1)
      assert.deepEqual(lines((await check({ nowMs: noon + 3_600_000, keys: [] })).findings), [
        'key_missing',
        'key_missing',
      ])
    })

    attackTest('finds with a witness what only a witness shows', async ({ url, segments, check, addLead, seal }) => {
      const witness = segments.map(({ seal: value }) => value)
      assert.deepEqual((await check({ witness })).findings, [])
      // The end of the chain with everything that it sealed is removed; then an older database that has continued by
      // itself.
      await attack(
        backend,
        url,
        'DELETE FROM consent_seals WHERE segment = 3; DELETE FROM leads WHERE position = 5; DELETE FROM changes',
      )
      await attack(backend, url, `UPDATE leads SET personal = '{}' WHERE false`)
      const cut = await check({ witness })
      assert.ok(lines(cut.findings).includes('witness_missing'))
      assert.ok(cut.findings.some(({ detail }) => detail.includes(String(witness[2]))))
      await addLead()
      await seal()
      assert.ok(lines((await check({ witness })).findings).includes('witness_missing'))
    })

    attackTest('finds a chain that was rebuilt without the key', async ({ url, check, seal }) => {
      await attack(backend, url, 'DELETE FROM consent_seals WHERE segment > 1')
      await seal('')
      assert.deepEqual(lines((await check()).findings), ['key_dropped'])
    })

    attackTest('continues with a new key, and recognizes the old one', async ({ check, addLead, seal }) => {
      await addLead()
      await seal('another key outside the database')
      const both = ['another key outside the database', secret]
      assert.deepEqual((await check({ keys: both })).findings, [])
      assert.deepEqual(lines((await check({ keys: [secret] })).findings), ['key_missing'])
      assert.deepEqual(lines((await check({ keys: [both[0] as string] })).findings), [
        'key_missing',
        'key_missing',
        'key_missing',
      ])
    })

    attackTest(
      'accepts a chain without a key with a warning, but not after one with a key',
      async ({ check, addLead, seal }) => {
        assert.equal((await check()).report.keyless, 3)
        await addLead()
        await seal(secret)
        const adopted = await check({ keys: [secret] })
        assert.deepEqual([adopted.findings, adopted.warnings.length], [[], 1])
        await addLead()
        await seal('')
        assert.deepEqual(lines((await check({ keys: [secret] })).findings), ['key_dropped'])
      },
      null,
    )

    attackTest(
      'finds an alteration without a key too, if it is not concealed',
      async ({ url, check }) => {
        await attack(backend, url, `UPDATE leads SET evidence = replace(evidence, 'rest-v1', 'rpc') WHERE position = 1`)
        assert.deepEqual(lines((await check()).findings), ['segment_broken'])
      },
      null,
    )
  })
}
