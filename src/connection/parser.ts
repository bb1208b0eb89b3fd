import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** The undocumented parts of Node's HTTP parser that are used here. */
interface HttpParser {
  /** The request whose content is being read, or the last one. */
  incoming: IncomingMessage | null
  /** Called for each request when its headers are complete. */
  onIncoming(request: IncomingMessage, keepAlive: boolean): number
  /** The bytes just parsed. Only valid inside a hook. */
  getCurrentBuffer(): Buffer
  /** `kOnExecute` is the index of the hook for the end of each read. */
  constructor: { kOnExecute: number }
  [hook: number]: (parsed: number | Error) => void
}

/** A hook returns this to stop Node's parser after the headers, as it does before a tunnel. */
const stop = 2

/** How many bytes of an incomplete request head are kept: enough for a method and one of our paths. */
const startMaxBytes = 300

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
  /** Whether the bytes being parsed complete a request head. */
  let hasTaken = false

  function detach(): void {
    socket.off('data', feed).off('end', finish)
    // Node stops feeding its parser when the socket has another `data` listener.
    socket.on('data', () => {}).resume()
  }

  const take = parser.onIncoming
  parser.onIncoming = (request, keepAlive) => {
    hasTaken = true
    if (mayTake()) return take(request, keepAlive)
    // Node checks this for a tunnel to hand over.
    parser.incoming = null
    detach()
    return stop
  }

  const { kOnExecute } = parser.constructor
  const onExecute = parser[kOnExecute] as HttpParser[number]
  parser[kOnExecute] = (parsed) => {
    if (hasTaken) {
      hasTaken = false
      start = ''
    } else if (start.length < startMaxBytes && parser.incoming?.complete !== false) {
      start += parser.getCurrentBuffer().toString('latin1', 0, startMaxBytes - start.length)
    }
    onExecute(parsed)
  }

  return {
    get start() {
      return start
    },
    detach,
  }
}

/** Without these hooks nothing would be limited, so refuse to serve on a Node that lacks them. */
function parserOf(socket: Socket): HttpParser {
  const { parser } = socket as Socket & { parser?: HttpParser }
  const hooks = [parser?.onIncoming, parser?.getCurrentBuffer, parser?.[parser.constructor.kOnExecute]]
  if (!parser || hooks.some((hook) => typeof hook !== 'function')) {
    throw new Error(
      `Node ${process.version} has no HTTP parser that can be bounded: use the version that package.json names`,
    )
  }
  return parser
}
