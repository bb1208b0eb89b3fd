import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explainWithoutGo } from '../requirements.ts'

const need = (what: string, there: boolean) => ({ what, isThere: () => there, debian: `${what}-dev` })

test('says what the peer in Go lacks, and how to install it', () => {
  assert.equal(
    explainWithoutGo([need('go', true), need('grpc', false), need('pgx', false)]),
    'The peer in Go is left out, because it needs grpc, pgx: apt-get install grpc-dev pgx-dev',
  )
})

test('says nothing when nothing is missing', () => {
  assert.equal(explainWithoutGo([need('go', true)]), undefined)
})
