/**
 * The largest message that is accepted, in bytes, compressed or not. Every valid lead must fit in any encoding: 5,000
 * emoji are 20,000 bytes of UTF-8, but 60,000 bytes as `\ud83d\ude00` escapes in JSON.
 */
export const messageMaxBytes = 131_072
