import { messageMaxBytes } from './message-size.ts'

/** A frame's head: one byte of flags, four bytes of length. */
export const headBytes = 5

/** The size of the frame that a chunk begins, in bytes (Length-Prefixed-Message). -1: not the beginning of a plain frame. */
export function readFrameBytes(chunk: Buffer): number {
  if (chunk.length < headBytes || chunk[0] !== 0) return -1
  const length = chunk.readUInt32BE(1)
  return length > messageMaxBytes ? -1 : headBytes + length
}
