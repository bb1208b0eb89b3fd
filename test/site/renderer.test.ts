import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createRenderer } from '../../src/site/renderer.ts'
import { createContext, documentsOf } from './context.ts'

suite('the process that renders documents', () => {
  const context = createContext()

  test('renders every representation like this process, in each coding', async () => {
    const render = createRenderer(context)
    const document = await documentsOf()
    const path = '/problems/rate_limited'
    const page = document(path)
    const forms = await Promise.all([
      render({ path, form: 0 }, 'identity'),
      render({ path, form: 0 }, 'br').then(brotliDecompressSync),
      render({ path, form: 0 }, 'gzip').then(gunzipSync),
      render({ path, form: 1 }, 'identity'),
      render({ path: '/.well-known/security.txt', form: 0 }, 'identity'),
    ])
    assert.deepEqual(
      forms.map((form) => form.toString()),
      [page.body, page.body, page.body, page.markdown, document('/.well-known/security.txt').body],
    )
  })

  test('reports a failure to the waiting caller, and serves the next request', async () => {
    const render = createRenderer(context)
    await assert.rejects(render({ path: '/no-document', form: 0 }, 'identity'), TypeError)
    assert.match((await render({ path: '/robots.txt', form: 0 }, 'identity')).toString(), /^# Agents/)
  })

  test('exits when idle, and restarts with the current time', async () => {
    let years = 0
    const render = createRenderer({ ...context, now: () => Date.UTC(2026 + years++, 0, 1) }, 1)
    const read = async () => (await render({ path: '/.well-known/security.txt', form: 0 }, 'identity')).toString()
    const first = await read()
    let later = first
    while (later === first) {
      await setTimeout(5)
      later = await read()
    }
    assert.match(first, /^Expires: 2027/m)
    assert.match(later, /^Expires: 2028/m)
  })
})
