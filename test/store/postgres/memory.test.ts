import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { createPostgresConnection } from '../../../src/store/postgres/connection.ts'
import { postgresUrl, skipWithoutEngine } from '../../support/backends.ts'
import { oldBytesAfter } from '../../support/old-generation.ts'

const statements = 400
const parameterBytes = 10_000

test('statements leave no parameters in the old generation of the heap', { skip: skipWithoutEngine }, async () => {
  const connection = createPostgresConnection({ url: await postgresUrl(), ready: async () => {} })
  const run = () =>
    connection.query({
      name: 'measure',
      text: 'SELECT length($1) AS length',
      values: [randomBytes(parameterBytes / 2).toString('hex')],
    })
  await run()
  const left = await oldBytesAfter(async () => {
    for (let count = 0; count < statements; count++) await run()
  })
  await connection.close()
  assert.ok(left < (statements * parameterBytes) / 10, `${left} bytes survived`)
})
