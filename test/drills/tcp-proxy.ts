import { connect, createServer, type Socket } from 'node:net'
import { listen } from '../support/ports.ts'

/** Starts a TCP proxy to a port of 127.0.0.1 that a test can cut or redirect, or that is chosen for each connection. */
export async function startTcpProxy(target: number | (() => number)) {
  const sockets = new Set<Socket>()
  let targetPort = target
  const server = createServer((near) => {
    const far = connect(typeof targetPort === 'number' ? targetPort : targetPort(), '127.0.0.1')
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
    /** Accepts connections again, to the same target port or another one. */
    async lead(next = targetPort) {
      targetPort = next
      await listen(server, port)
    },
    [Symbol.asyncDispose]: async () => cut(),
  }
}
