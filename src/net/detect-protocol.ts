import type { Socket } from 'node:net'

/** The start of the HTTP/2 connection preface (RFC 9113 §3.4). No HTTP/1.1 method starts with it. */
const http2Prefix = Buffer.from('PRI')

/**
 * Peeks at the first bytes of a connection, however they are split, and puts them back. Decides `http2` for the HTTP/2
 * connection preface and `http1` for anything else. Destroys a connection that stays silent for `timeoutMs`. Does not
 * decide for a connection that ends earlier.
 */
export function detectProtocol(socket: Socket, timeoutMs: number, decide: (protocol: 'http1' | 'http2') => void): void {
  let seen: Buffer = Buffer.alloc(0)

  function look(): void {
    const chunk = socket.read() as Buffer | null
    if (chunk === null) return
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk])
    const known = Math.min(seen.length, http2Prefix.length)
    const matches = seen.compare(http2Prefix, 0, known, 0, known) === 0
    if (matches && known < http2Prefix.length) return
    socket.off('readable', look)
    socket.off('timeout', giveUp)
    socket.setTimeout(0)
    socket.unshift(seen)
    decide(matches ? 'http2' : 'http1')
  }
  function giveUp(): void {
    socket.destroy()
  }

  socket.setTimeout(timeoutMs, giveUp)
  socket.on('readable', look)
}
