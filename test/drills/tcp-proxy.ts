import { connect, createServer, type Socket } from 'node:net'
import { listen } from '../support/ports.ts'

/** A TCP proxy on this machine that a test can cut or redirect. */
export interface TcpProxy extends AsyncDisposable {
  port: number
  /** Breaks every connection and refuses new ones. */
  cut(): void
  /** Accepts connections again, to the same target port or another one. */
  lead(port?: number): Promise<void>
}

/** Starts a proxy to a port of 127.0.0.1. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let targetPort = target
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1')
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

  function cut() {
    server.close()
    for (const socket of sockets) socket.destroy()
  }

  return {
    port,
    cut,
    async lead(next = targetPort) {
      targetPort = next
      await listen(server, port)
    },
    [Symbol.asyncDispose]: async () => cut(),
  }
}
