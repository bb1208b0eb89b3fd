import { warn } from './texts.ts'

/** The answer of the service, as far as a form needs it. Undefined: there was none. */
export type Answer = Awaited<ReturnType<typeof send>>

interface Body {
  id?: string
  code?: string
  retryable?: boolean
  errors?: { pointer: string; code: string }[]
}

/** How long to wait for an answer, in milliseconds. */
const answerMaxMs = 20_000

/** Sends a lead. Resolves to undefined if no answer arrives in time, or scripts of this origin may not read it. */
export async function send(baseUrl: string, lead: object, headers: Record<string, string>) {
  // Not `AbortSignal.timeout`: Safari 15 does not have it.
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), answerMaxMs)
  try {
    const answer = await fetch(`${baseUrl}/api/v1/leads`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(lead),
      signal: limit.signal,
    })
    const body: Body = (await answer.json()) ?? {}
    return { status: answer.status, seconds: Number(answer.headers.get('Retry-After')), body }
  } catch (error) {
    const advice =
      self.origin === 'null'
        ? 'A page that was opened as a file, or in a sandbox without allow-same-origin, cannot send. Open it from a web server, whose origin is in CORS_ORIGINS of the service.'
        : `If the service runs, add ${self.origin} to its CORS_ORIGINS and restart it.`
    warn(`No answer from ${baseUrl}. ${advice} See ${baseUrl}/website-forms#steps`, error)
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

/** A new Idempotency-Key. */
export function makeKey(): string {
  const bytes = Array.from(crypto.getRandomValues(new Uint8Array(16)))
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
