import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { nextRequest } from './next-request.ts'

/** The undocumented parts of Node's HTTP parser that are used here. */
interface HttpParser {
  /** The request whose content is being read, or the last one. */
  incoming: IncomingMessage | null
  /** Called for each request when its headers are complete. */
  onIncoming(request: IncomingMessage, keepAlive: boolean): number
  /** The bytes just parsed, as a copy. Only valid inside a hook. */
  getCurrentBuffer(): Buffer
  /** The indexes of the hooks for the first byte of a request, for its content, and for the end of each read. */
  constructor: { kOnMessageBegin: number; kOnBody: number; kOnExecute: number }
  [hook: number]: unknown
  /** Ours: how many bytes of content the current read has brought for the newest request. */
  contentBytes: number
}

type ContentHook = (this: HttpParser, content: Buffer) => void

/** How many bytes of a read were parsed. With an error: before it. */
type Parsed = number | (Error & { bytesParsed: number })

/** A hook returns this to stop Node's parser after the headers, as it does before a tunnel. */
const stop = 2

/** How many bytes of an incomplete request head are kept: enough for a method and one of our paths. */
const startMaxBytes = 300

/** How many of its last bytes are kept: the empty line that ends the headers can be split between two reads. */
const tailBytes = 3

/** A connection's HTTP parser, with hooks. */
export interface WatchedParser {
  /** The first bytes of a request whose head is incomplete. Empty: none has begun. */
  readonly start: string
  /** Stops parsing. Further input is discarded. */
  detach(): void
}

/**
 * Hooks into Node's parser for a connection, and leaves reading to Node, which passes bytes to the parser without
 * JavaScript. The parser creates all the requests in a packet at once, possibly hundreds, before the first can be
 * answered or the connection closed. So `mayTake` is called before each request is created. When it returns false, the
 * parser sees nothing more of the connection, and the pending answers are sent as usual.
 */
export function watchParser(socket: Socket, mayTake: () => boolean): WatchedParser {
  const parser = parserOf(socket)
  // Node's own listener is the last one.
  const feed = socket.listeners('data').at(-1) as () => void
  const finish = socket.listeners('end').at(-1) as () => void
  let start = ''
  /** Whether a request has begun whose head is incomplete. */
  let isOpen = false
  /** The newest request whose head this read has completed. */
  let taken: IncomingMessage | undefined

  function detach(): void {
    socket.off('data', feed).off('end', finish)
    // Node stops feeding its parser when the socket has another `data` listener.
    socket.on('data', () => {}).resume()
  }

  const { kOnMessageBegin, kOnExecute } = parser.constructor
  const take = parser.onIncoming
  const onExecute = parser[kOnExecute] as (parsed: Parsed) => void

  // Declared, because V8 allocates function literals that are assigned to a member in the old generation of the heap
  // (`scripts/young-functions.ts`). All that they refer to would outlive the connection.
  function onMessageBegin(): void {
    isOpen = true
  }

  function onIncoming(request: IncomingMessage, keepAlive: boolean): number {
    isOpen = false
    taken = request
    parser.contentBytes = 0
    if (mayTake()) return take(request, keepAlive)
    // Node checks this for a tunnel to hand over.
    parser.incoming = null
    detach()
    return stop
  }

  function onRead(parsed: Parsed): void {
    // Usually, a read brings whole requests.
    start = isOpen ? startAfter(parsed) : ''
    taken = undefined
    parser.contentBytes = 0
    onExecute(parsed)
  }

  parser[kOnMessageBegin] = onMessageBegin
  parser.onIncoming = onIncoming
  parser[kOnExecute] = onRead
  countContent(parser)

  /** The first bytes of the request that is incomplete after this read. */
  function startAfter(parsed: Parsed): string {
    const hadBegun = start !== ''
    const read = parser.getCurrentBuffer()
    const bytes = hadBegun ? Buffer.concat([Buffer.from(start, 'latin1'), read]) : read
    const end = bytes.length - read.length + (typeof parsed === 'number' ? parsed : parsed.bytesParsed)
    const begin = hadBegun && !taken ? 0 : nextRequest(bytes.subarray(0, end), taken, parser.contentBytes)
    if (bytes.length - begin <= startMaxBytes) return bytes.toString('latin1', begin)
    // The space keeps the two parts from forming an empty line.
    return `${bytes.toString('latin1', begin, begin + startMaxBytes)} ${bytes.toString('latin1', bytes.length - tailBytes)}`
  }

  return {
    get start() {
      return start
    },
    detach,
  }
}

let passContent: ContentHook

/** One function for all parsers: Node reuses parsers for other connections, and does not reset this hook. */
function onContent(this: HttpParser, content: Buffer): void {
  this.contentBytes += content.length
  passContent.call(this, content)
}

function countContent(parser: HttpParser): void {
  parser.contentBytes = 0
  const { kOnBody } = parser.constructor
  if (parser[kOnBody] === onContent) return
  passContent = parser[kOnBody] as ContentHook
  parser[kOnBody] = onContent
}

/** Without these hooks nothing would be limited, so refuse to serve on a Node that lacks them. */
function parserOf(socket: Socket): HttpParser {
  const { parser } = socket as Socket & { parser?: HttpParser }
  const { kOnBody = -1, kOnExecute = -1, kOnMessageBegin } = parser?.constructor ?? {}
  const hooks = [parser?.onIncoming, parser?.getCurrentBuffer, parser?.[kOnBody], parser?.[kOnExecute]]
  if (!parser || kOnMessageBegin === undefined || hooks.some((hook) => typeof hook !== 'function')) {
    throw new Error(
      `Node ${process.version} has no HTTP parser that can be bounded: use the version that package.json names`,
    )
  }
  return parser
}
