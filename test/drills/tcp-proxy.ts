import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A way to a server on this machine that a test can cut and lead elsewhere. */
export interface TcpProxy extends AsyncDisposable {
  port: number
  /** Breaks every connection and refuses new ones. */
  cut(): void
  /** Takes connections again: to where it led before, or to another port. */
  lead(port?: number): Promise<void>
}

/** Opens a way to a port of 127.0.0.1. */
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
