import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const encoders = {
  br: (content: Buffer) =>
    brotliCompressSync(content, {
      params: {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        // Within two percent of the size at quality 9, in a tenth of the time.
        [constants.BROTLI_PARAM_QUALITY]: 5,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
        // No document is longer. A larger window would only use memory.
        [constants.BROTLI_PARAM_LGWIN]: 17,
      },
    }),
  gzip: (content: Buffer) => gzipSync(content),
  identity: (content: Buffer) => content,
}

/** A content coding (RFC 9110 §8.4.1). */
export type Coding = keyof typeof encoders

/** Encodes a text as UTF-8, then compresses it. */
export function encode(text: string, coding: Coding): Buffer {
  return encoders[coding](Buffer.from(text))
}
