import type { Erasure } from './stored-lead.ts'

/** The message of the log line that tells of an erasure. */
export const erasureMessage = 'lead erased'

/** An erasure to be done again after a restore. */
export interface NamedErasure {
  id: string
  erasure: Erasure
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i

/**
 * Reads a line of the service's log, or a line that has an id only: then the erasure is one by request, at `now`. Undefined
 * for a line that names no erasure.
 */
export function parseErasure(line: string, now: string): NamedErasure | undefined {
  const text = line.trim()
  if (uuid.exec(text)?.[0] === text) {
    return { id: text.toLowerCase(), erasure: { at: now, reason: 'request', caller: null } }
  }
  if (!text.includes(erasureMessage)) return undefined
  // A collector may have put something before the line.
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
