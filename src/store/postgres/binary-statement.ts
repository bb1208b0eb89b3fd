import type { Client, Connection, Submittable } from 'pg'
import { StoreError } from '../error.ts'
import { type BinaryParameter, writeInt32 } from './binary-array.ts'

/** A statement whose parameters are in PostgreSQL's binary format, and which returns one text or null. */
export interface BinaryStatement {
  /** Prepared once per session under this name. Empty: prepared each time. */
  name: string
  text: string
  parameters: readonly BinaryParameter[]
}

/** A larger message gets memory of its own. */
const keptBytes = 1_048_576

/**
 * Creates the function that runs such statements on a connection of the driver (as its `Submittable`, like pg-cursor).
 * The driver would copy each parameter three times, into buffers that grow from 256 bytes, and this memory made V8
 * collect garbage four times as often. Resolves when the server is ready again, so after the commit.
 */
export function createBinarySender(client: Client): (statement: BinaryStatement) => Promise<string | null> {
  // Free again when the server is ready for the next statement, because it has read all of this one by then.
  let kept = Buffer.alloc(0)

  function messageOf({ name, parameters }: BinaryStatement): Buffer {
    const nameBytes = Buffer.byteLength(name) + 1
    const bind = 4 + 1 + nameBytes + 2 + 2 + 2 + parameters.reduce((sum, { size }) => sum + 4 + size, 0) + 2
    const size = 1 + bind + executeAndSync.length
    if (size > kept.length) kept = Buffer.allocUnsafe(Math.min(2 * size, Math.max(size, keptBytes)))
    const message = kept
    if (size > keptBytes) kept = Buffer.alloc(0)

    message[0] = 0x42
    let offset = writeInt32(message, bind, 1)
    // The unnamed portal.
    message[offset++] = 0
    offset += message.write(name, offset)
    message[offset++] = 0
    // One format for all parameters: binary.
    offset = writeInt16(message, 1, offset)
    offset = writeInt16(message, 1, offset)
    offset = writeInt16(message, parameters.length, offset)
    for (const parameter of parameters) {
      const start = writeInt32(message, parameter.size, offset)
      offset = parameter.write(message, start)
      if (offset !== start + parameter.size) throw new RangeError('a parameter does not have the size that it states')
    }
    // All results as text.
    offset = writeInt16(message, 0, offset)
    offset += executeAndSync.copy(message, offset)
    return message.subarray(0, offset)
  }

  return (statement) =>
    new Promise((resolve, reject) => {
      const fail = (error: unknown) => {
        // The server reports an error without reading the rest of the message, which the socket may still be sending.
        kept = Buffer.alloc(0)
        reject(error)
      }
      client.query(new ActiveStatement(statement, messageOf(statement), resolve, fail))
    })
}

/** A statement that the driver has sent or is about to send. The driver calls its methods. */
class ActiveStatement implements Submittable {
  readonly name: string
  readonly text: string
  readonly #message: Buffer
  readonly #resolve: (value: string | null) => void
  /** Also called when the connection is lost. */
  readonly handleError: (error: unknown) => void
  #value: string | null = null

  constructor(
    { name, text }: BinaryStatement,
    message: Buffer,
    resolve: (value: string | null) => void,
    reject: (error: unknown) => void,
  ) {
    this.name = name
    this.text = text
    this.#message = message
    this.#resolve = resolve
    this.handleError = reject
  }

  submit(connection: Connection): void {
    const { name, text } = this
    const { stream, parsedStatements } = connection as Connection & ParsedStatements
    stream.cork()
    if (parsedStatements[name] === undefined) connection.parse({ name, text, types: [] }, true)
    stream.write(this.#message)
    stream.uncork()
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    this.#value = fields[0] ?? null
  }

  /** Not yet committed. */
  handleCommandComplete(): void {}

  // Nothing asks for these answers. A server or pooler that sends one has mixed up the answers of several statements.
  handleRowDescription(): void {
    this.#fail()
  }

  handlePortalSuspended(): void {
    this.#fail()
  }

  handleEmptyQuery(): void {
    this.#fail()
  }

  handleCopyInResponse(): void {
    this.#fail()
  }

  handleCopyData(): void {
    this.#fail()
  }

  #fail(): void {
    this.handleError(new StoreError('out_of_step', true, 'postgres: out_of_step'))
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#value)
  }
}

/** The statements that a session has prepared, by name. Kept by the driver. */
interface ParsedStatements {
  parsedStatements: Record<string, string | undefined>
}

/** Execute: the unnamed portal, all rows. Sync: commit, and report when ready. */
const executeAndSync = Buffer.from('450000000900000000005300000004', 'hex')

function writeInt16(target: Buffer, value: number, offset: number): number {
  target[offset] = value >>> 8
  target[offset + 1] = value
  return offset + 2
}
