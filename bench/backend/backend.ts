/** A running Redis or PostgreSQL. */
export interface Backend extends AsyncDisposable {
  url: string
  /** Its root process, for its CPU time. */
  pid: number
  /** Where it comes from: the path of the binary, or the image. */
  origin: string
  /** Where the host keeps its data. */
  dataDirectory: string
}

/** Calls until it succeeds. Throws the last failure after ten seconds. */
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
