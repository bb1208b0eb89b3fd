import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** What is used here of the HTTP parser that Node gives each connection, and does not document. */
interface HttpParser {
  /** The request whose content is being read, or the last one. */
  incoming: IncomingMessage | null
  /** Hears of each request once its header block has ended. */
  onIncoming(request: IncomingMessage, keepAlive: boolean): number
  /** The bytes that have just been parsed, while a hook runs. */
  getCurrentBuffer(): Buffer
  /** `kOnExecute` is where the parser has its hook for the end of each read. */
  constructor: { kOnExecute: number }
  [hook: number]: (parsed: number | Error) => void
}

/** What a hook returns for Node's parser to stop at the end of the header block, as it does before a tunnel. */
const stop = 2

/** How much of a request is kept until its header block is complete: enough for a method and a path of ours. */
const startMaxBytes = 300

/** A connection's HTTP parser, watched. */
export interface WatchedParser {
  /** The first bytes of a request whose header block has not ended; empty when none has begun. */
  readonly start: string
  /** Lets the parser see no more of the connection. What still arrives is thrown away. */
  detach(): void
}

/**
 * Watches what Node's parser makes of a connection, and leaves the reading to Node, which hands the bytes to its parser
 * without JavaScript. A parser makes every request of what it is given, hundreds in one packet, before the first of them
 * can be answered or the connection be closed: so `mayTake` is asked before anything is made of each. When it says no, the
 * parser sees nothing more of the connection, and the answers that are due go out as ever.
 */
export function watchParser(socket: Socket, mayTake: () => boolean): WatchedParser {
  const parser = parserOf(socket)
  // Node's server has been told of the connection last.
  const feed = socket.listeners('data').at(-1) as () => void
  const finish = socket.listeners('end').at(-1) as () => void
  let start = ''
  /** Whether a header block has ended in what is being parsed. */
  let hasTaken = false

  function detach(): void {
    socket.off('data', feed).off('end', finish)
    // Node gives its parser nothing of a connection that somebody else reads.
    socket.on('data', () => {}).resume()
  }

  const take = parser.onIncoming
  parser.onIncoming = (request, keepAlive) => {
    hasTaken = true
    if (mayTake()) return take(request, keepAlive)
    // Node looks here for a tunnel that it must hand over.
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

/** Without its hooks nothing would be bounded, so a Node that has none serves nobody. */
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
