import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createDocumentHandlers } from '../../src/rest/documents.ts'
import type { Context } from '../../src/rest/routes.ts'
import { createDocuments } from '../../src/site/documents.ts'
import type { FormPlace } from '../../src/site/renderer.ts'
import { createContext } from '../site/context.ts'

test('brief documents need no render process: the home page, robots.txt, security.txt and the icons', async () => {
  const asked: FormPlace[] = []
  const handlers = createDocumentHandlers(createDocuments(createContext()), async (place) => {
    asked.push(place)
    return Buffer.from('from the process')
  })
  const read = async (path: string) => {
    const context = { req: { headers: { 'accept-encoding': 'gzip' } } } as Context
    const { body } = (await handlers.get(path)?.(context)) ?? {}
    return gunzipSync(body as Buffer).toString()
  }

  assert.match(await read('/'), /^For people: /)
  assert.match(await read('/robots.txt'), /^# Agents: /)
  assert.match(await read('/.well-known/security.txt'), /^Contact: /)
  assert.match(await read('/favicon.ico'), /^<svg /)
  assert.equal(await read('/favicon.svg'), await read('/favicon.ico'))
  assert.deepEqual(asked, [])

  await assert.rejects(read('/developers'), { code: 'Z_DATA_ERROR' })
  assert.deepEqual(asked, [{ path: '/developers', form: 0 }])
})
