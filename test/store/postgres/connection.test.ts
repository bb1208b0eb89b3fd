import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { suite, test } from 'node:test'
import { StoreError } from '../../../src/store/error.ts'
import { createPostgresConnection } from '../../../src/store/postgres/connection.ts'

/**
 * A server message (PostgreSQL documentation, §55.7): its type, its length including the length itself, its content.
 */
function message(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(content.length + 4, 1)
  return Buffer.concat([head, content])
}

const loggedIn = Buffer.concat([message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))])

/** A server that accepts every login, and passes each later message of a client to `onMessage`. */
async function startServer(onMessage: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(loggedIn)
      socket.on('data', () => onMessage(socket))
    })
    socket.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `postgres://u:p@127.0.0.1:${(server.address() as AddressInfo).port}/leads?sslmode=disable`,
    [Symbol.asyncDispose]: async () => {
      server.close()
    },
  }
}

suite('a connection to PostgreSQL', () => {
  const endings: Record<string, (socket: Socket) => void> = {
    'hangs up': (socket) => socket.destroy(),
    resets: (socket) => socket.resetAndDestroy(),
    'says that it is going down': (socket) =>
      socket.end(
        message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0')),
      ),
    'speaks nonsense': (socket) => socket.end(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')),
  }
  for (const [what, end] of Object.entries(endings)) {
    test(`treats a server that ${what} during login as unavailable`, async () => {
      await using server = await startServer(end)
      const connection = createPostgresConnection({ url: server.url, ready: async () => {} })
      for (let attempt = 0; attempt < 3; attempt++) {
        await assert.rejects(
          connection.query({ text: 'SELECT 1' }),
          (error) => error instanceof StoreError && error.transient,
        )
      }
      await connection.close()
    })
  }

  test('is not reopened by a statement after close', async () => {
    let connections = 0
    await using server = await startServer((socket) => {
      connections++
      socket.destroy()
    })
    const connection = createPostgresConnection({ url: server.url, ready: async () => {} })
    await connection.close()
    await assert.rejects(connection.query({ text: 'SELECT 1' }), { code: 'closed', transient: true })
    assert.equal(connections, 0)
  })
})
