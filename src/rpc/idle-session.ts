import type { ServerHttp2Session } from 'node:http2'

/**
 * Closes a session when its connection has been idle for `idleMs`. Detected within twice that time.
 *
 * Does not use `session.setTimeout`: Node fails to clear that timer when the session is already destroyed, so the
 * session of a disconnected caller, and everything it references, would stay in memory until the timeout.
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
