import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface ParserErrorOptions {
  /** Returns the whole answer to something that is not a request, by the code of Node's error. */
  answer(code: string | undefined): string
  /** Makes reading the body of a request fail, so that its handler answers. */
  interrupt(request: IncomingMessage, code: string | undefined): void
}

export type Answer = ServerResponse & { req: IncomingMessage }

/**
 * Answers what Node's parser refuses (`clientError`), after the answers to earlier requests. A request whose head has
 * arrived is answered by its own handler. `newest` is the newest answer on the connection.
 */
export function createParserErrorHandler({ answer, interrupt }: ParserErrorOptions) {
  const refused = new WeakSet<Socket>()

  function refuse(socket: Socket, code: string | undefined): void {
    if (!socket.writable || refused.has(socket)) return
    refused.add(socket)
    socket.end(answer(code))
    // If the socket closed at once, a reset could overtake the answer.
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
