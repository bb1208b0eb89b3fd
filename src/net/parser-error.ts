import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface ParserErrorOptions {
  /** The whole answer to what is no request, by the code of Node's error. */
  answer(code: string | undefined): string
  /** Makes the reading of a request's body fail. Its handler answers. */
  interrupt(request: IncomingMessage, code: string | undefined): void
}

export type Answer = ServerResponse & { req: IncomingMessage }

/**
 * Answers what Node's parser refuses (`clientError`), after the answers of earlier requests. A request whose head has
 * arrived gets its answer from its own handler. `newest`: the newest answer of the connection.
 */
export function createParserErrorHandler({ answer, interrupt }: ParserErrorOptions) {
  const refused = new WeakSet<Socket>()

  function refuse(socket: Socket, code: string | undefined): void {
    if (!socket.writable || refused.has(socket)) return
    refused.add(socket)
    socket.end(answer(code))
    // If it closed at once, a reset could overtake the answer.
    setTimeout(() => socket.destroy(), 1_000)
  }

  return ({ code }: NodeJS.ErrnoException, socket: Socket, newest: Answer | undefined): void => {
    const isIncomplete = newest?.req.complete === false
    const end = () => (isIncomplete ? socket.destroySoon() : refuse(socket, code))
    if (code === 'ECONNRESET') socket.destroy()
    else if (newest && isIncomplete && !newest.writableEnded) interrupt(newest.req, code)
    else if (newest && !newest.writableFinished) newest.once('close', end)
    else end()
  }
}
