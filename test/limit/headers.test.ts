import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDecision, type Decision } from '../../src/limit/decision.ts'
import { rateHeaders } from '../../src/limit/headers.ts'

/** Parses the fields like a client of draft-06: bare integers, and a List of one Integer with a parameter `w`. */
function read(fields: Headers) {
  const integer = (name: string) => {
    const value = fields.get(name)
    assert.match(value ?? '', /^\d+$/, name)
    return Number(value)
  }
  const policy = /^(\d+);w=(\d+)$/.exec(fields.get('RateLimit-Policy') ?? '')
  assert.ok(policy)
  return {
    limit: integer('RateLimit-Limit'),
    remaining: integer('RateLimit-Remaining'),
    reset: integer('RateLimit-Reset'),
    policyLimit: Number(policy[1]),
    policyWindow: Number(policy[2]),
    retryAfter: fields.has('Retry-After') ? integer('Retry-After') : undefined,
  }
}

function headersOf(decision: Decision): Headers {
  const fields = rateHeaders(decision)
  return new Headers(
    fields.flatMap((name, at): [string, string][] => (at % 2 ? [] : [[name, fields[at + 1] as string]])),
  )
}

test('an allowed request has the four fields and no Retry-After', () => {
  const headers = headersOf(createDecision({ limit: 10, windowSeconds: 60 }, { used: 1, msLeft: 60_000 }))
  assert.deepEqual(read(headers), {
    limit: 10,
    remaining: 9,
    reset: 60,
    policyLimit: 10,
    policyWindow: 60,
    retryAfter: undefined,
  })
  assert.equal(Array.from(headers).length, 4)
})

test('a refused request has Retry-After with the seconds of RateLimit-Reset', () => {
  const headers = headersOf(createDecision({ limit: 10, windowSeconds: 60 }, { used: 11, msLeft: 40_200 }))
  assert.deepEqual(read(headers), {
    limit: 10,
    remaining: 0,
    reset: 41,
    policyLimit: 10,
    policyWindow: 60,
    retryAfter: 41,
  })
})

test('a refusal in the last instant of a window has Retry-After: 1', () => {
  const { reset, retryAfter } = read(
    headersOf(createDecision({ limit: 10, windowSeconds: 60 }, { used: 11, msLeft: 0.2 })),
  )
  assert.deepEqual([reset, retryAfter], [1, 1])
})
