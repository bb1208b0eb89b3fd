import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

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
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ port: targetPort, host: '127.0.0.1', noDelay: true })
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.pipe(other)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  function cut() {
    server.close()
    for (const socket of sockets) socket.destroy()
  }

  return {
    port,
    cut,
    async lead(next = targetPort) {
      targetPort = next
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
    async [Symbol.asyncDispose]() {
      cut()
    },
  }
}
