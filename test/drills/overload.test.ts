import assert from 'node:assert/strict'
import { once } from 'node:events'
import { suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { skipWithoutEngine, startPostgres } from '../support/backends.ts'
import { readContents } from '../support/database.ts'
import { assertProblem, get, openRaw, parseAnswer, post } from '../support/http.ts'
import { runService } from '../support/process.ts'
import { startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import type { Flood } from './flood.ts'
import { becomes, normal, unavailable } from './picture.ts'

const answerMs = 6_000
/** The flood shares the machine's CPUs with the service, so its own delays are included. */
const floodAnswerMs = 10_000
/** The memory that a flood may use, in MiB: the 2,000 held bodies are 40 MB, plus connections and answers. */
const memoryMax = 256 * 2 ** 20

async function residentBytes(opsUrl: string): Promise<number> {
  const { text } = await get(`${opsUrl}/metrics`)
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1])
}

suite('a flood while the store stalls', { skip: skipWithoutEngine }, () => {
  test('is shed in time and in bounded memory, probes and documents keep answering, and the service recovers', async (t) => {
    const postgres = await startPostgres()
    const service = await runService({ DATABASE_URL: postgres.url, LOG_LEVEL: 'warn' })
    try {
      const beforeBytes = await residentBytes(service.opsUrl)
      await postgres.pause()
      await becomes([service], unavailable, answerMs)
      let most = beforeBytes
      const over = new AbortController()
      // On a separate thread, so that this one measures only the service.
      const worker = new Worker(new URL('./flood.ts', import.meta.url), { workerData: service.url })
      const flooded = once(worker, 'message').finally(() => over.abort()) as Promise<[Flood]>
      while (!over.signal.aborted) {
        const startedMs = performance.now()
        const [live, ready, root, document] = await Promise.all([
          get(`${service.opsUrl}/livez`),
          get(`${service.opsUrl}/readyz`),
          get(`${service.url}/api/v1`),
          get(`${service.url}/openapi.json`),
        ])
        assert(performance.now() - startedMs < floodAnswerMs, 'probes and documents answer meanwhile')
        assert.deepEqual([live.status, ready.status, document.status], [200, 200, 200])
        assert.equal(root.json.status, 'unavailable')
        most = Math.max(most, await residentBytes(service.opsUrl))
        await delay(250)
      }
      const [{ codes, longestMs }] = await flooded
      t.diagnostic(`${JSON.stringify([...codes])}, longest ${Math.round(longestMs)} ms`)
      t.diagnostic(`memory ${Math.round(beforeBytes / 2 ** 20)} MB, at most ${Math.round(most / 2 ** 20)} MB`)
      assert.deepEqual([...codes.keys()].sort(), ['overloaded', 'service_unavailable'])
      assert(longestMs < floodAnswerMs, `a request took ${Math.round(longestMs)} ms`)
      assert(most - beforeBytes < memoryMax, `memory grew by ${most - beforeBytes} bytes`)

      await postgres.unpause()
      await becomes([service], normal, 10_000)
      const taken = await post(service.url, { ...quote, notes: 'After the flood' })
      assert.equal(taken.status, 201)
      const { leads, distinct } = await readContents(postgres.url)
      assert(leads.includes(taken.json.id as string))
      assert.equal(distinct, leads.length)
    } finally {
      await service.dispose()
      await postgres.stop()
    }
  })
})

suite('slow callers', () => {
  const overrides = { headersTimeoutMs: 1_000, requestTimeoutMs: 2_000 }
  const head = 'POST /api/v1/leads HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'

  /** Sends a prefix and then one byte at a time, until the service closes the connection. Returns the answer. */
  async function drip(url: string, beginning: string): Promise<ReturnType<typeof parseAnswer>> {
    const socket = await openRaw(url)
    let text = ''
    socket.on('data', (chunk) => (text += chunk)).on('error', () => {})
    let isOpen = true
    socket.once('close', () => (isOpen = false))
    socket.write(beginning)
    const endMs = performance.now() + 10_000
    while (isOpen && performance.now() < endMs) {
      await delay(100)
      if (socket.writable) socket.write('x')
    }
    assert(!isOpen, 'the connection is closed')
    return parseAnswer(text)
  }

  test('sending headers byte by byte get 408', async () => {
    await using service = await startService({}, overrides)
    assertProblem(await drip(service.url, `${head}X-Slow: `), 408, 'request_timeout')
  })

  test('sending a body byte by byte get 408', async () => {
    await using service = await startService({}, overrides)
    assertProblem(await drip(service.url, `${head}Content-Length: 5000\r\n\r\n`), 408, 'request_timeout')
  })

  test('sending an endless body get 413 while it is arriving, and the rest is not read', async () => {
    await using service = await startService({}, overrides)
    const socket = await openRaw(service.url)
    let text = ''
    let isOpen = true
    socket
      .on('data', (chunk) => (text += chunk))
      .on('error', () => {})
      .once('close', () => (isOpen = false))
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
    const chunk = `1000\r\n${'x'.repeat(4_096)}\r\n`
    const endMs = performance.now() + 10_000
    while (isOpen && performance.now() < endMs) {
      if (socket.writable && !socket.writableNeedDrain) socket.write(chunk)
      else await delay(10)
      await delay(1)
    }
    assert(!isOpen, 'the connection is closed')
    assertProblem(parseAnswer(text), 413, 'body_too_large')
  })
})
