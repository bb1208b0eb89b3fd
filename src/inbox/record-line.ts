import type { Erasure } from './stored-lead.ts'

/** The message of the log line about an erasure. */
export const erasureMessage = 'lead erased'

/** An erasure to repeat after a restore. */
export interface NamedErasure {
  id: string
  erasure: Erasure
}

/**
 * The form of the caller names that the service logs. The database may refuse other texts. Certificates have shorter
 * names.
 */
const callerName = /^[\x20-\x7e]{1,512}$/

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i

/** A line of a consumer, as examples/ write it after a restore. A log collector may have added a prefix. */
const consumerLine = /(?:^|\s)(?<what>erase|stop) again: (?<id>[0-9a-f-]{36})(?: (?<at>\S+))?$/

/**
 * Parses a log line of the service, a consumer's `erase again: ID`, or a line with only an id. The last two are an
 * erasure by request at `now`. Undefined: the line does not describe an erasure.
 */
export function parseErasure(line: string, now: string): NamedErasure | undefined {
  const text = line.trim()
  const { what, id = text } = consumerLine.exec(text)?.groups ?? {}
  if (what !== 'stop' && uuid.exec(id)?.[0] === id) {
    return { id: id.toLowerCase(), erasure: { at: now, reason: 'request', caller: null } }
  }
  if (!text.includes(erasureMessage)) return undefined
  // A log collector may have added a prefix.
  const { msg, leadId, erasedAt, reason, caller } = parse(text.slice(text.indexOf('{')))
  if (msg !== erasureMessage || typeof leadId !== 'string' || uuid.exec(leadId)?.[0] !== leadId) return undefined
  return {
    id: leadId.toLowerCase(),
    erasure: {
      at: parsePast(erasedAt, now) ?? now,
      reason: reason === 'retention' ? 'retention' : 'request',
      caller: typeof caller === 'string' && callerName.test(caller) ? caller : null,
    },
  }
}

/** Parses a consumer's `stop again: ID TIME`. Undefined: the line is another one, or its time is not in the past. */
export function parseStop(line: string, now: string): { id: string; at: string } | undefined {
  const { what, id = '', at = '' } = consumerLine.exec(line.trim())?.groups ?? {}
  const past = parsePast(at, now)
  return what === 'stop' && uuid.exec(id)?.[0] === id && past !== undefined ? { id, at: past } : undefined
}

/** A time since 1970, in the form of a receipt. */
function parsePast(text: unknown, now: string): string | undefined {
  const ms = Date.parse(String(text))
  return ms > 0 && ms <= Date.parse(now) ? new Date(ms).toISOString() : undefined
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
