import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createProblemRenderer } from '../../src/problem/document.ts'
import { createRestApp } from '../../src/rest/app.ts'
import { readOnly } from '../../src/rest/routes.ts'

test('an answer that cannot be written is reported with its request, and affects no other', async () => {
  const baseUrl = 'https://leads.example.com'
  const errors: unknown[] = []
  const handle = createRestApp({
    baseUrl,
    routes: [
      readOnly('/good', () => ({ status: 200, fields: [], body: 'fine' })),
      readOnly('/bad', () => ({ status: 200, fields: ['Link', 'one\ntwo'], body: 'never seen' })),
    ],
    renderProblem: createProblemRenderer(baseUrl),
    isStopping: () => false,
    onRequest() {},
    onError: (error, requestId) => errors.push([(error as NodeJS.ErrnoException).code, requestId.length]),
  })
  const server = createServer(handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const bad = await fetch(`${url}/bad`)
    assert.deepEqual([bad.status, await bad.text()], [500, 'Internal Server Error'])
    assert.deepEqual(errors, [['ERR_INVALID_CHAR', 36]])
    assert.equal(await (await fetch(`${url}/good`)).text(), 'fine')
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
