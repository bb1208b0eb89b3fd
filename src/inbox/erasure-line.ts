import type { Erasure } from './stored-lead.ts'

/** The message of the log line about an erasure. */
export const erasureMessage = 'lead erased'

/** An erasure to repeat after a restore. */
export interface NamedErasure {
  id: string
  erasure: Erasure
}

/** The names in certificates are shorter. The service did not log any other name, and the database may invalid it. */
const callerName = /^[\x20-\x7e]{1,512}$/

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i

/**
 * Parses a log line of the service, or a line with only an id, which is an erasure by request at `now`. Undefined: the
 * line does not describe an erasure.
 */
export function parseErasure(line: string, now: string): NamedErasure | undefined {
  const text = line.trim()
  if (uuid.exec(text)?.[0] === text) {
    return { id: text.toLowerCase(), erasure: { at: now, reason: 'request', caller: null } }
  }
  if (!text.includes(erasureMessage)) return undefined
  // A log collector may have added a prefix.
  const { msg, leadId, erasedAt, reason, caller } = parse(text.slice(text.indexOf('{')))
  if (msg !== erasureMessage || typeof leadId !== 'string' || uuid.exec(leadId)?.[0] !== leadId) return undefined
  return {
    id: leadId.toLowerCase(),
    erasure: {
      at: isPast(erasedAt, now) ? erasedAt : now,
      reason: reason === 'retention' ? 'retention' : 'request',
      caller: typeof caller === 'string' && callerName.test(caller) ? caller : null,
    },
  }
}

/** Whether this is a past time in the form that the service logs. The database may not be able to store another one. */
function isPast(value: unknown, now: string): value is string {
  if (typeof value !== 'string' || value < '2000' || value > now) return false
  const ms = Date.parse(value)
  return !Number.isNaN(ms) && new Date(ms).toISOString() === value
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
