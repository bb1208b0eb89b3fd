import type { Socket } from 'node:net'

export interface WaitingRoom {
  /** All open connections, waiting or not. */
  readonly all: ReadonlySet<Socket>
  /** Adds a new connection. When the listener is full, closes the oldest waiting connection, or else the new one. */
  enter(socket: Socket): void
  /** Ends the wait of a connection: its caller has finished the handshake, or has shown its protocol. */
  pass(socket: Socket): void
}

/** With TLS, the handshake is reported for a different object than the connection. Both have the same remote port. */
const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

/**
 * Tracks connections whose callers have not finished the handshake or shown their protocol. Opening them costs nothing,
 * so they must not keep other callers out.
 */
export function createWaitingRoom(connectionsMax: number): WaitingRoom {
  const all = new Set<Socket>()
  /** The longest waiting first. */
  const waiting = new Map<string, Socket>()

  return {
    all,
    enter(socket) {
      const name = nameOf(socket)
      const forget = () => {
        all.delete(socket)
        if (waiting.get(name) === socket) waiting.delete(name)
      }
      all.add(socket)
      waiting.set(name, socket)
      socket.once('close', forget)
      if (all.size <= connectionsMax) return
      const [[longest, oldest]] = waiting as unknown as [[string, Socket]]
      waiting.delete(longest)
      all.delete(oldest)
      oldest.destroy()
    },
    pass(socket) {
      waiting.delete(nameOf(socket))
    },
  }
}
