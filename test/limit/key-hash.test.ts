import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeyHash } from '../../src/limit/key-hash.ts'

test('createKeyHash › returns 22 characters that depend on network and secret and reveal neither', () => {
  const key = createKeyHash('a secret of sixteen')
  assert.match(key('203.0.113.9'), /^[A-Za-z0-9_-]{22}$/)
  assert.notEqual(key('203.0.113.9'), key('203.0.113.10'))
  assert.notEqual(key('203.0.113.9'), createKeyHash('another secret of mine')('203.0.113.9'))
})
