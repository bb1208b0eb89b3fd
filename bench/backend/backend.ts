/** A running Redis or PostgreSQL. */
export interface Backend extends AsyncDisposable {
  url: string
  /** Its root process, for measuring CPU time. */
  pid: number
  /** The path of its binary, or its image. */
  origin: string
  /** The data directory on the host. */
  dataDirectory: string
}

/** Calls until it succeeds. After ten seconds, throws the last error. */
export async function retry<T>(attempt: () => Promise<T>): Promise<T> {
  const deadlineMs = Date.now() + 10_000
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (Date.now() > deadlineMs) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
