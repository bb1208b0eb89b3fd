import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { suite, test } from 'node:test'
import { Code, ConnectError } from '@connectrpc/connect'
import fc from 'fast-check'
import { readBody } from '../../src/rpc/request-body.ts'

/** A request whose bytes come from the test. */
function openRequest() {
  let pulls = 0
  const request = new Readable({
    read() {
      pulls++
    },
  })
  return { request, pulls: () => pulls }
}

const broken = (error: unknown) => error instanceof ConnectError && error.code === Code.Canceled

suite('the body of a request', () => {
  test('arrives complete and in order, however it is split', async () => {
    const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 5 }), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(chunks, async (parts) => {
        const request = Readable.from(parts, { objectMode: false })
        assert.deepEqual(Buffer.concat(await Array.fromAsync(readBody(request))), Buffer.concat(parts))
      }),
    )
  })

  test('is yielded as it arrives', async () => {
    const { request } = openRequest()
    const body = readBody(request)[Symbol.asyncIterator]()
    for (const text of ['a', 'b']) {
      const next = body.next()
      request.push(text)
      assert.equal(String((await next).value), text)
    }
    request.push(null)
    assert.equal((await body.next()).done, true)
  })

  test('is read no faster than it is consumed', async () => {
    const taken: number[] = []
    const source = async function* () {
      for (let chunk = 0; chunk < 1_000; chunk++) {
        taken.push(chunk)
        yield Buffer.alloc(1_000)
      }
    }
    const body = readBody(Readable.from(source(), { objectMode: false }))[Symbol.asyncIterator]()
    await body.next()
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.ok(taken.length < 100, `${taken.length} chunks taken, one used`)
    let rest = 0
    while (!(await body.next()).done) rest++
    assert.equal(rest, 999)
  })

  test('fails when it breaks off', async () => {
    const { request } = openRequest()
    const all = Array.fromAsync(readBody(request))
    request.push('half')
    setImmediate(() => request.destroy())
    await assert.rejects(all, broken)
  })

  test('fails when it broke off before it was read', async () => {
    const { request } = openRequest()
    request.destroy()
    await assert.rejects(Array.fromAsync(readBody(request)), broken)
  })

  test('needs no timer once it has arrived, although its consumer has left it halfway', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    const { request } = openRequest()
    const body = readBody(request, [], () => ({ timeoutMs: 60_000 }))[Symbol.asyncIterator]()
    const next = body.next()
    request.push('one')
    await next
    assert.equal(timers(), before + 1)
    const ended = once(request, 'end')
    request.push(null)
    await ended
    assert.equal(timers(), before)
  })

  test('is discarded to its end when the consumer stops early', async () => {
    const request = Readable.from([Buffer.from('one'), Buffer.from('two')], { objectMode: false })
    const ended = new Promise((resolve) => request.on('end', resolve))
    for await (const _ of readBody(request)) break
    await ended
  })
})
