import type { Socket } from 'node:net'

/** Lines that a connection may send while a request is unanswered. Node makes an event of each chunk, however short. */
const linesMax = 5_000
/** Lines of each connection since it had nothing unanswered. */
const lines = new WeakMap<Socket, number>()

/** What Node's parser is reading: a packet of a watched connection. */
let packet: Buffer | undefined

/** Watches an HTTP/1.1 connection that Node's server has taken. Calls `refuse` when it sends too many lines. */
export function watchParsing(socket: Socket, refuse: () => void = () => void socket.destroy()): void {
  // Between these two, Node's own listener parses the packet.
  socket.prependListener('data', (bytes: Buffer) => {
    packet = bytes
    const total = (lines.get(socket) ?? 0) + bytes.toString('latin1').split('\r\n').length
    lines.set(socket, total)
    if (total <= linesMax) return
    stopParsing()
    refuse()
  })
  socket.on('data', () => {
    packet = undefined
  })
}

/**
 * Ends the parsing of a packet, in the event of one of its requests. Node makes requests of the whole packet, possibly
 * thousands, even after their connection was closed, and they would fill the memory. The parser reads the packet in
 * place and has copied what it has passed on, so it finds zeros and fails.
 */
export function stopParsing(): void {
  packet?.fill(0)
}

/** Counts the lines of a connection anew: it had nothing unanswered. */
export function beginRequest(socket: Socket): void {
  lines.delete(socket)
}
