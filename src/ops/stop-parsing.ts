import type { Socket } from 'node:net'

/** What Node's parser is reading: a packet of a watched connection. */
let packet: Buffer | undefined

/** Watches an HTTP/1.1 connection for `stopParsing`. Call this after Node's server has taken the connection. */
export function watchParsing(socket: Socket): void {
  // Between these two, Node's own listener parses the packet.
  socket.prependListener('data', (bytes: Buffer) => {
    packet = bytes
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
