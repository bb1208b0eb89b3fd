import { connect, createServer, type Socket } from 'node:net'
import { listen } from '../support/ports.ts'

/** Starts a TCP proxy to the port of 127.0.0.1 that `target` names for each connection. A test can cut it. */
export async function startTcpProxy(target: () => number) {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(target(), '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        for (const each of [near, far]) sockets.delete(each.destroy())
      })
    }
    near.pipe(far).pipe(near)
  })
  const port = await listen(server)

  /** Breaks every connection and refuses new ones. */
  function cut() {
    server.close()
    for (const socket of sockets) socket.destroy()
  }

  return {
    port,
    cut,
    /** Accepts connections again. */
    lead: () => listen(server, port),
    [Symbol.asyncDispose]: async () => cut(),
  }
}
