/** What a client sends first (RFC 9113 §3.4), without its SETTINGS frame. */
export const http2Preface: Buffer = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/** An HTTP/2 frame (RFC 9113 §4.1). */
export function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** Everything that a client sends before its first call. */
export const http2Start: Buffer = Buffer.concat([http2Preface, frame(4, 0, 0, Buffer.alloc(0))])

/** The headers that begin a call, as literal fields that are not indexed (RFC 7541 §6.2.2). */
export function callHeaders(stream: number, path: string, type: string, more: Record<string, string> = {}): Buffer {
  const fields = { ':method': 'POST', ':scheme': 'http', ':path': path, ':authority': 'localhost', te: 'trailers' }
  const block = Object.entries({ ...fields, 'content-type': type, ...more }).flatMap(([name, value]) => [
    Buffer.from([0, name.length]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ])
  return frame(1, 4, stream, Buffer.concat(block))
}

/** A Connect call over HTTP/1.1, whose content may have another length than its headers say. */
export function http1(path: string, type: string, body: Buffer, length = `content-length: ${body.length}`): Buffer {
  const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ${type}\r\n${length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

/** A message in the envelope that gRPC, gRPC-Web and Connect streams share. A flag of 1: compressed. */
export function envelope(message: Uint8Array, flag = 0): Buffer {
  const head = Buffer.alloc(5, flag)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}
