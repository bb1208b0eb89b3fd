export type Answer = Awaited<ReturnType<typeof send>>

/** How long to wait for an answer, in milliseconds. */
const answerMaxMs = 20_000

/** Sends a lead. Resolves to undefined if no answer arrives in time, or scripts of this origin may not read it. */
export async function send(lead: object, headers: Record<string, string>) {
  const { baseUrl } = deployment
  // Safari 15 does not have `AbortSignal.timeout`.
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), answerMaxMs)
  try {
    const answer = await fetch(`${baseUrl}/api/v1/leads`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(lead),
      signal: limit.signal,
    })
    const body: { id?: string; retryable?: boolean; errors?: { pointer: string; code: string }[] } | null =
      await answer.json()
    /** With the name of the field or header. */
    const faults = (body?.errors ?? []).map(({ pointer, code }) => ({ name: pointer.slice(2), code }))
    const { id, retryable } = body ?? {}
    return { status: answer.status, seconds: Number(answer.headers.get('Retry-After')), id, retryable, faults }
  } catch (error) {
    const warn = (why: string) => console.warn(`lead-form: ${why} See ${baseUrl}/website-forms#steps`, error)
    // Finds out whether only scripts get no answer. A page that was opened as a file, or in a sandbox without
    // allow-same-origin, has the origin "null".
    fetch(`${baseUrl}/robots.txt`, { mode: 'no-cors' }).then(
      () =>
        warn(`add ${self.origin} to CORS_ORIGINS of ${baseUrl}. "null" cannot be added: use a web server.
If it is there, a script of this page added credentials to the request, or it took too long.`),
      () => warn(`${baseUrl} is down, or connect-src of this page or an extension of the browser blocks it.`),
    )
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
