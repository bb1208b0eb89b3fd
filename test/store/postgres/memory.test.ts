import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { textArray } from '../../../src/store/postgres/binary-array.ts'
import { createPostgresConnection } from '../../../src/store/postgres/connection.ts'
import { postgresUrl, skipWithoutEngine } from '../../support/backends.ts'
import { oldBytesAfter } from '../../support/old-generation.ts'

const statements = 400
const parameterBytes = 10_000

type Connection = ReturnType<typeof createPostgresConnection>

const forms: Record<string, (connection: Connection, text: string) => Promise<unknown>> = {
  query: (connection, text) =>
    connection.query({ name: 'measure', text: 'SELECT length($1) AS length', values: [text] }),
  readText: (connection, text) =>
    connection.readText({
      name: 'measure',
      text: 'SELECT length($1::text[]::text)::text AS length',
      parameters: [textArray([text], (row) => row)],
    }),
}

for (const [name, run] of Object.entries(forms)) {
  test(`${name} leaves no parameters in the old generation of the heap`, { skip: skipWithoutEngine }, async () => {
    const connection = createPostgresConnection({ url: await postgresUrl(), ready: async () => {} })
    const runOnce = () => run(connection, randomBytes(parameterBytes / 2).toString('hex'))
    await runOnce()
    const left = await oldBytesAfter(async () => {
      for (let count = 0; count < statements; count++) await runOnce()
    })
    await connection.close()
    assert.ok(left < (statements * parameterBytes) / 10, `${left} bytes survived`)
  })
}
