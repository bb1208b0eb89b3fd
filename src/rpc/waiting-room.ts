import type { Socket } from 'node:net'

export interface WaitingRoom {
  /** The connections in it and beyond it that are not closed. */
  readonly all: ReadonlySet<Socket>
  /** Takes in a new connection. When the listener is full, the oldest one that still waits is closed, or else the new one. */
  enter(socket: Socket): void
  /** Lets a connection through: its caller has finished the handshake, or said what it speaks. */
  pass(socket: Socket): void
}

/** Over TLS, the handshake is told with another object than the connection. The peer's port is that of both. */
const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`

/**
 * Connections whose callers have not yet shown who they are, or what they speak. They cost whoever opens them nothing, so
 * they must not keep anyone else out.
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
