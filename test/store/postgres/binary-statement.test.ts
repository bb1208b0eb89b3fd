import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client, Connection, Submittable } from 'pg'
import { textArray } from '../../../src/store/postgres/binary-array.ts'
import { createBinarySender } from '../../../src/store/postgres/binary-statement.ts'

/** What the driver calls when the server answers. */
type Statement = Submittable & { handleError(error: unknown): void } & Record<`handle${string}`, () => void>

/** A connection of the driver whose socket has not sent anything yet: it keeps the memory that it was given. */
function startConnection() {
  const written: Buffer[] = []
  const sent: Statement[] = []
  const connection = {
    stream: { cork: () => {}, uncork: () => {}, write: (bytes: Buffer) => written.push(bytes) },
    parsedStatements: { store: 'SELECT $1' },
  } as unknown as Connection
  const client = {
    query: (statement: Statement) => {
      statement.submit(connection)
      sent.push(statement)
    },
  } as unknown as Client
  const send = createBinarySender(client)
  const store = (text: string) =>
    send({ name: 'store', text: 'SELECT $1', parameters: [textArray([text], (same) => same)] })
  return { store, written, sent }
}

test('a message that the server has refused before reading all of it is not overwritten by the next one', async () => {
  const { store, written, sent } = startConnection()
  const refused = store('the first lead'.repeat(100))
  const before = Buffer.from(written[0] as Buffer)
  sent[0]?.handleError(new Error('function store_leads does not exist'))
  await assert.rejects(refused, /does not exist/)
  void store('another lead'.repeat(100))
  assert.deepEqual(written[0], before)
})

test('memory is used again after an answer', async () => {
  const { store, written, sent } = startConnection()
  const first = store('the first lead')
  sent[0]?.handleReadyForQuery?.()
  assert.equal(await first, null)
  void store('the next one')
  assert.equal(written[1]?.buffer, written[0]?.buffer)
  assert.equal(written[1]?.byteOffset, written[0]?.byteOffset)
})

test('an answer that nobody asked for is a lost connection, and not the end of the process', async () => {
  for (const answer of ['RowDescription', 'PortalSuspended', 'EmptyQuery', 'CopyInResponse', 'CopyData']) {
    const { store, sent } = startConnection()
    const stored = store('a lead')
    sent[0]?.[`handle${answer}`]?.()
    await assert.rejects(stored, { code: 'out_of_step', transient: true }, answer)
    // What follows it is ignored.
    sent[0]?.handleReadyForQuery?.()
  }
})
