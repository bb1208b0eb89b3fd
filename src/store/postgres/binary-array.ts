// Encodes arrays as PostgreSQL's binary parameters (array_recv). Saves the server 13 µs per lead compared with JSON.

/** A parameter that is written straight into the message that takes it. */
export interface BinaryParameter {
  /** Length in bytes. */
  size: number
  /** Writes the bytes. Returns the offset after them. */
  write(target: Buffer, offset: number): number
}

/** The types' OIDs in pg_type, the same in every version. */
const types = { text: 25, timestamptz: 1184, uuid: 2950 }

/** Dimensions, null flag, element type, length and first index, 32 bits each. */
const headerBytes = 20
const lengthBytes = 4
const uuidBytes = 16
const timeBytes = 8

/** The epoch of timestamptz, which counts microseconds. */
const epochMs = Date.UTC(2000, 0, 1)

/** Writes 32 bits, high byte first. Returns the offset after them. */
export function writeInt32(target: Buffer, value: number, offset: number): number {
  target[offset] = value >>> 24
  target[offset + 1] = value >>> 16
  target[offset + 2] = value >>> 8
  target[offset + 3] = value
  return offset + 4
}

/** An array whose elements take `elementsBytes` together, without their lengths. `writeElement` writes both. */
function createArray<Row>(
  type: number,
  rows: readonly Row[],
  elementsBytes: number,
  writeElement: (target: Buffer, row: Row, offset: number) => number,
): BinaryParameter {
  return {
    size: headerBytes + rows.length * lengthBytes + elementsBytes,
    write(target, start) {
      let offset = start
      for (const value of [1, 0, type, rows.length, 1]) offset = writeInt32(target, value, offset)
      for (const row of rows) offset = writeElement(target, row, offset)
      return offset
    },
  }
}

/** A `uuid[]`. The values are 32 hexadecimal digits, with or without hyphens. Throws a `TypeError` for others. */
export function uuidArray<Row>(rows: readonly Row[], read: (row: Row) => string): BinaryParameter {
  return createArray(types.uuid, rows, rows.length * uuidBytes, (target, row, offset) =>
    writeUuid(target, read(row), writeInt32(target, uuidBytes, offset)),
  )
}

const hyphen = 0x2d

/** The value of each hexadecimal digit, by its character code. 255: not a digit. */
const digitValues = new Uint8Array(256).fill(255)
for (let value = 0; value < 16; value++) {
  digitValues[value.toString(16).charCodeAt(0)] = value
  digitValues[value.toString(16).toUpperCase().charCodeAt(0)] = value
}

/** Holds the characters of a value. Longer ones are cut off, and have too many digits even so. */
const scratch = Buffer.alloc(64)

/** By hand: `Buffer.write` with `hex` needs a copy without hyphens, and takes three times as long. */
function writeUuid(target: Buffer, text: string, start: number): number {
  const length = scratch.write(text)
  let digits = 0
  let high = 0
  for (let at = 0; at < length; at++) {
    const code = scratch[at] as number
    if (code === hyphen) continue
    const value = digitValues[code] as number
    if (value === 255 || digits === 2 * uuidBytes) throw notUuid()
    if ((digits & 1) === 0) high = value << 4
    else target[start + (digits >> 1)] = high | value
    digits++
  }
  if (digits !== 2 * uuidBytes) throw notUuid()
  return start + uuidBytes
}

const notUuid = () => new TypeError('a uuid has 32 hexadecimal digits')

const two32 = 2 ** 32

/** A `timestamptz[]` from RFC 3339 texts with milliseconds. */
export function timeArray<Row>(rows: readonly Row[], read: (row: Row) => string): BinaryParameter {
  let text = ''
  let high = 0
  let low = 0
  return createArray(types.timestamptz, rows, rows.length * timeBytes, (target, row, start) => {
    // Many rows of a batch have the same time, so the last result is reused.
    if (read(row) !== text) {
      text = read(row)
      // In two halves: microseconds exceed the exact numbers from the year 2285 on.
      const milliseconds = Date.parse(text) - epochMs
      const lowMicroseconds = (milliseconds - Math.floor(milliseconds / two32) * two32) * 1_000
      high = Math.floor(milliseconds / two32) * 1_000 + Math.floor(lowMicroseconds / two32)
      low = lowMicroseconds % two32
    }
    let offset = writeInt32(target, timeBytes, start)
    offset = writeInt32(target, high, offset)
    return writeInt32(target, low, offset)
  })
}

/** A `text[]`. The database's encoding must be UTF-8. */
export function textArray<Row>(rows: readonly Row[], read: (row: Row) => string): BinaryParameter {
  let bytes = 0
  for (const row of rows) bytes += Buffer.byteLength(read(row))
  return createArray(types.text, rows, bytes, (target, row, offset) => {
    const written = target.write(read(row), offset + lengthBytes)
    return writeInt32(target, written, offset) + written
  })
}
