import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface ParserErrorOptions {
  /** The whole answer to what is no request, by the code of Node's error. */
  answer(code: string | undefined): string
  /** Makes the reading of a request's body fail. Its handler answers. */
  interrupt(request: IncomingMessage, code: string | undefined): void
}

/** How long a refused connection stays open, in milliseconds. If it closed at once, a reset could overtake the answer. */
const lingerMs = 1_000

/**
 * Answers what Node's parser refuses (`clientError`), after the answers of earlier requests. A request whose head has
 * arrived gets its answer from its own handler. `newestOf`: the newest request of a connection, with its answer.
 */
export function createParserErrorHandler(
  { answer, interrupt }: ParserErrorOptions,
  newestOf: (socket: Socket) => (ServerResponse & { req: IncomingMessage }) | undefined,
) {
  const refused = new WeakSet<Socket>()

  function refuse(socket: Socket, code: string | undefined): void {
    if (!socket.writable || refused.has(socket)) return
    refused.add(socket)
    socket.end(answer(code))
    setTimeout(() => socket.destroy(), lingerMs)
  }

  return ({ code }: NodeJS.ErrnoException, socket: Socket): void => {
    const newest = newestOf(socket)
    const isIncomplete = newest?.req.complete === false
    const end = () => (isIncomplete ? socket.destroySoon() : refuse(socket, code))
    if (code === 'ECONNRESET') socket.destroy()
    else if (newest && isIncomplete && !newest.writableEnded) interrupt(newest.req, code)
    else if (newest && !newest.writableFinished) newest.once('close', end)
    else end()
  }
}
