// What a mere client can send to the internal listener must not end the process, or stay in its memory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { get, openRaw } from '../support/http.ts'
import { callHeaders, frame, http1, http2Start } from '../support/http2-frames.ts'
import { runInPod } from '../support/process.ts'

const checkPath = '/grpc.health.v1.Health/Check'

test('header fields that are never delivered do not end the process', async () => {
  await using victim = await runInPod()
  // Trailers that do not end the stream (RFC 9113 §8.1).
  const trailers = (id: number) => frame(1, 4, id, Buffer.from('\0\x03x-t\x01v'))
  const call = (id: number) =>
    Buffer.concat([callHeaders(id, checkPath, 'application/grpc'), ...Array(12).fill(trailers(id))])
  let connections = 0
  /** Connects anew each time the service has closed the connection. */
  async function attack() {
    while (connections++ < 4_000 && victim.child.exitCode === null && victim.child.signalCode === null) {
      const socket = await openRaw(victim.internalUrl)
      socket.on('error', () => {}).resume()
      socket.write(http2Start)
      for (let id = 1; !socket.destroyed && id < 200; id += 2) {
        socket.write(call(id))
        await delay(2)
      }
      socket.destroy()
    }
  }
  await Promise.allSettled(Array.from({ length: 30 }, attack))
  assert.equal((await get(`${victim.url}/api/v1`)).status, 200)
})

test('calls and connections that their callers break off leave nothing in memory', async () => {
  const unfinished = http1(checkPath, 'application/json', Buffer.from('{'), 'content-length: 100')
  for (const [bytes, connections] of [
    [unfinished, 600],
    [http2Start, 1_200],
  ] as const) {
    // If they stayed, it would be 50 MiB and more.
    await using victim = await runInPod({}, 48)
    const breakOff = async () => {
      for (let count = 0; count < connections; count++) {
        const socket = (await openRaw(victim.internalUrl)).on('error', () => {})
        socket.write(bytes)
        await delay(3)
        socket.resetAndDestroy()
      }
    }
    await Promise.allSettled(Array.from({ length: 20 }, breakOff))
    assert.equal((await get(`${victim.url}/api/v1`)).status, 200)
  }
})
