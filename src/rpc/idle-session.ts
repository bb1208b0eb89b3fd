import type { ServerHttp2Session } from 'node:http2'

/**
 * Closes a session on whose connection nothing has moved for `idleMs`; it is noticed within twice that time.
 *
 * Not by `session.setTimeout`: Node tries to stop that timer when the session is destroyed already, which does nothing, so
 * that a session whose caller is gone would stay in memory, with all that hangs on it, until the time is over.
 */
export function closeWhenIdle(session: ServerHttp2Session, idleMs: number): void {
  const { socket } = session
  let seen = -1
  const timer = setInterval(() => {
    const moved = socket.bytesRead + socket.bytesWritten
    if (moved === seen) session.close()
    seen = moved
  }, idleMs)
  timer.unref()
  session.once('close', () => clearInterval(timer))
}
