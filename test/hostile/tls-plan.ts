import { createPlan, type Plan, type Random } from './plan.ts'

/** What a connection to the internal listener with certificates does. */
export interface TlsPlan extends Plan {
  /** Whose certificate it presents before it writes. Undefined: it writes without a handshake. */
  caller: 'known' | 'stranger' | 'nobody' | undefined
}

/**
 * Half of them start their own handshake, corrupted by the seed. The others attack after a completed or refused
 * handshake.
 */
export function createTlsPlan(random: Random): TlsPlan {
  const plan = { ...createPlan(random), listener: 'internal' as const }
  if (random.once(2)) return { ...plan, caller: random.pick(['known', 'known', 'stranger', 'nobody'] as const) }
  const bytes = spoil(random, hello(random))
  const cut = random.below(bytes.length + 1)
  const writes = [
    { bytes: bytes.subarray(0, cut), pauseMs: 0 },
    { bytes: bytes.subarray(cut), pauseMs: random.below(20) },
  ]
  return { ...plan, writes: random.once(4) ? [] : writes, caller: undefined }
}

/** What is wrong with a ClientHello, if anything. */
function spoil(random: Random, bytes: Buffer): Buffer {
  switch (random.below(6)) {
    case 0:
      return bytes.subarray(0, random.below(bytes.length))
    case 1:
      for (let flips = 1 + random.below(8); flips > 0; flips--) bytes[random.below(bytes.length)] = random.below(256)
      return bytes
    case 2:
      return Buffer.concat(Array.from({ length: 2 + random.below(200) }, () => bytes))
    case 3:
      return Buffer.concat([bytes, ...Array.from({ length: random.below(500) }, () => anyRecord(random))])
    case 4:
      // Announces a message of 16 MB.
      return Buffer.concat([record(22, Buffer.from([1, 0xff, 0xff, 0xff])), anyRecord(random), anyRecord(random)])
    default:
      return bytes
  }
}

function record(type: number, payload: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type, 3, 3]), prefixed(2, payload)])
}

/** Record types: change cipher spec, alert, handshake, data, heartbeat, or an unknown one. */
function anyRecord(random: Random): Buffer {
  const payload = random.pick([
    Buffer.from([1]),
    Buffer.from([1, 0]),
    bytesOf(random, random.below(500)),
    Buffer.alloc(0),
  ])
  return record(random.pick([20, 21, 22, 23, 24, 255]), payload)
}

/** A ClientHello for TLS 1.3 or 1.2 (RFC 8446 §4.1.2). */
function hello(random: Random): Buffer {
  const versions = random.pick([
    [3, 4],
    [3, 3],
    [3, 4, 3, 3],
    [3, 1],
  ])
  const extensions = Buffer.concat([
    extension(43, prefixed(1, Buffer.from(versions))),
    extension(10, prefixed(2, Buffer.from([0, 29, 0, 23]))),
    extension(13, prefixed(2, Buffer.from([4, 3, 8, 4, 4, 1]))),
    extension(51, prefixed(2, Buffer.concat([Buffer.from([0, 29]), prefixed(2, bytesOf(random, 32))]))),
    extension(16, prefixed(2, prefixed(1, Buffer.from(random.pick(['h2', 'http/1.1', 'none']))))),
  ])
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    bytesOf(random, 32),
    prefixed(1, bytesOf(random, 32)),
    prefixed(2, Buffer.from([0x13, 1, 0x13, 2, 0xc0, 0x2b, 0xc0, 0x2f])),
    prefixed(1, Buffer.from([0])),
    prefixed(2, extensions),
  ])
  return record(22, Buffer.concat([Buffer.from([1]), prefixed(3, body)]))
}

function extension(type: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type >> 8, type & 255]), prefixed(2, content)])
}

/** Bytes with a length prefix. */
function prefixed(size: number, content: Buffer): Buffer {
  const head = Buffer.alloc(size)
  head.writeUIntBE(content.length, 0, size)
  return Buffer.concat([head, content])
}

function bytesOf(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)))
}
