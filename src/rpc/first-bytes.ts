import type { Socket } from 'node:net'

/** How every HTTP/2 connection begins (RFC 9113 §3.4). No HTTP/1.1 method begins so, and Node's parser knows none. */
const http2Prefix = Buffer.from('PRI')

/**
 * Looks at the first bytes of a connection, however they arrive, and puts them back: `http2` when they begin the
 * connection preface of HTTP/2, `http1` for anything else. Says nothing of a connection that ends before, or that stays
 * silent for `timeoutMs`: such a one is destroyed.
 */
export function readProtocol(socket: Socket, timeoutMs: number, decide: (protocol: 'http1' | 'http2') => void): void {
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
