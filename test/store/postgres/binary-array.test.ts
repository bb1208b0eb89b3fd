import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { textArray, timeArray, uuidArray } from '../../../src/store/postgres/binary-array.ts'
import { skipWithoutEngine } from '../../support/backends.ts'
import { postgresBackend } from './backend.ts'

const same = (text: string) => text

test('PostgreSQL reads every value unchanged', { skip: skipWithoutEngine }, async () => {
  const client = new pg.Client({ connectionString: await postgresBackend.newUrl() })
  await client.connect()
  try {
    const times = fc.array(
      fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true }),
    )
    const uuids = fc.array(fc.uuid())
    const texts = fc.array(fc.string({ unit: 'binary' }).map((text) => text.toWellFormed().replaceAll('\0', '')))
    await fc.assert(
      fc.asyncProperty(times, uuids, texts, async (dates, ids, words) => {
        const values = [timeArray(dates, (date) => date.toISOString()), uuidArray(ids, same), textArray(words, same)]
        const { rows } = await client.query(
          'SELECT $1::timestamptz[] AS dates, $2::uuid[]::text[] AS ids, $3::text[] AS words',
          values,
        )
        assert.deepEqual({ ...rows[0] }, { dates, ids, words })
      }),
      { numRuns: 50 },
    )
  } finally {
    await client.end()
  }
})

test('rejects a uuid that is not 128 bits of hexadecimal digits', () => {
  for (const text of [
    '',
    '0199e2f2',
    `0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a1z`,
    '0'.repeat(33),
    `${'0'.repeat(31)}é`,
    `${'0'.repeat(31)}०`,
  ]) {
    assert.throws(() => uuidArray([text], same), TypeError)
  }
})
