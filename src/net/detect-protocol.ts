import type { Socket } from 'node:net'

/** The start of the HTTP/2 connection preface (RFC 9113 §3.4). No HTTP/1.1 method starts with it. */
const http2Prefix = Buffer.from('PRI')

/**
 * Peeks at the first bytes of a connection, however they are split, and tells whether they begin the HTTP/2 connection
 * preface. Destroys a connection that stays silent for `timeoutMs`.
 */
export function detectProtocol(socket: Socket, timeoutMs: number, decide: (isHttp2: boolean) => void): void {
  const giveUp = () => socket.destroy()
  function look(): void {
    // Null until that many bytes have arrived.
    const start: Buffer | null = socket.read(http2Prefix.length)
    if (start === null) return
    socket.off('readable', look).setTimeout(0, giveUp)
    socket.unshift(start)
    decide(start.equals(http2Prefix))
  }
  socket.setTimeout(timeoutMs, giveUp)
  socket.on('readable', look)
}
