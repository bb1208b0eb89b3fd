import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { GenericContainer } from 'testcontainers'
import { skipWithoutEngine } from '../../support/backends.ts'
import { startContainer } from '../../support/container.ts'

const root = join(import.meta.dirname, '../../..')

test('a full disk is detected before a lead is refused, and cleared as soon as there is space', {
  skip: skipWithoutEngine,
}, async () => {
  const container = await startContainer(() =>
    new GenericContainer(process.env.NODE_IMAGE ?? 'node:26-bookworm-slim')
      .withTmpFs({ '/data': 'rw,size=16m' })
      .withCopyDirectoriesToContainer(
        ['src', 'test'].map((folder) => ({ source: join(root, folder), target: `/app/${folder}` })),
      )
      .withCopyContentToContainer([{ content: '{ "type": "module" }', target: '/app/package.json' }])
      .withEntrypoint(['sleep', 'infinity']),
  )
  try {
    const { exitCode, output } = await container.exec(['node', '/app/test/store/disk-full.ts'])
    assert.equal(exitCode, 0, output)
    const { waitedMs, ...told } = JSON.parse(output)
    assert.deepEqual(told, {
      before: 'created',
      unhealthy: 'sqlite_13: database or disk is full',
      full: ['service_unavailable'],
      healthy: 'ok',
      after: 'created',
      lost: [],
    })
    // The store gives up after five seconds; the rest is for a slow machine.
    assert.ok(waitedMs < 10_000, `callers waited ${waitedMs} ms`)
  } finally {
    await container.stop({ timeout: 0 })
  }
})
