/**
 * The largest message that is read, in bytes. A lead that is valid by its fields must fit, however it is written: 5,000
 * emoji are 20,000 bytes in UTF-8 and 60,000 as `\ud83d\ude00` escapes in JSON. It bounds what a compressed message may
 * grow to as well.
 */
export const messageMaxBytes = 131_072
