import type { Erasure } from './stored-lead.ts'

/** The message of the log line about an erasure. */
export const erasureMessage = 'lead erased'

/** An erasure to repeat after a restore. */
export interface NamedErasure {
  id: string
  erasure: Erasure
}

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
      at: typeof erasedAt === 'string' && !Number.isNaN(Date.parse(erasedAt)) ? erasedAt : now,
      reason: reason === 'retention' ? 'retention' : 'request',
      caller: typeof caller === 'string' ? caller : null,
    },
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
