// The image's HEALTHCHECK: prints whether leads reach the mail server. Exit code 1: they don't.
import { DatabaseSync } from 'node:sqlite'

/** The service sends a message at least every 15 seconds. */
const silentMs = 120_000
/** A mail server may refuse for a while (greylisting). */
const failingMs = 300_000

const seconds = (ms: number) => `${Math.round((Date.now() - ms) / 1_000)} s`

function describe(): { text: string; ok: boolean } {
  const file = process.env.STATE_FILE || 'data/mail.db'
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  const row = database.prepare('SELECT heard_ms, failing_ms, unsent_ms FROM status').get()
  const [heardMs, sinceMs, unsentMs] = [row?.heard_ms, row?.failing_ms, row?.unsent_ms].map((value) =>
    Number(value ?? 0),
  )
  if (sinceMs)
    return {
      text: `not sent for ${seconds(sinceMs)}; the oldest unsent lead is ${seconds(unsentMs as number)} old`,
      ok: Date.now() - sinceMs < failingMs,
    }
  if (!heardMs) return { text: 'has heard nothing from the service yet', ok: false }
  return { text: `heard from the service ${seconds(heardMs)} ago`, ok: Date.now() - heardMs < silentMs }
}

try {
  const { text, ok } = describe()
  console.log(text)
  process.exitCode = ok ? 0 : 1
} catch {
  console.log('has no state yet')
  process.exitCode = 1
}
