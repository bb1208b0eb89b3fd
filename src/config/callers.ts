import type { ValueType } from './reader.ts'

/** The roles of callers of the internal listener. */
const roles = ['submit', 'read', 'erase'] as const

export type CallerRole = (typeof roles)[number]

/**
 * The roles of each caller, by the name in its certificate: a DNS name in lower case, or `URI:` and a URI. Each kind has
 * names of its own, so that a URI cannot pass for a host.
 */
export type Callers = ReadonlyMap<string, ReadonlySet<CallerRole>>

const hostName = /^(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/

/** `NAME=ROLE+ROLE`, separated by commas. NAME is a subject alternative name (RFC 5280 §4.2.1.6). */
export const callerList: ValueType<Callers> = {
  expected: `a comma-separated list of NAME=ROLE+ROLE, each NAME a DNS name, or URI: and a URI, and each ROLE one of ${roles.join(', ')}`,
  parse(text) {
    const callers = new Map<string, ReadonlySet<CallerRole>>()
    for (const part of text.split(',')) {
      // A URI may contain an equals sign; a role never does.
      const split = part.lastIndexOf('=')
      const name = parseName(part.slice(0, Math.max(split, 0)).trim())
      if (callers.has(name)) throw new TypeError('duplicate name')
      const own = part.slice(split + 1).split('+')
      callers.set(name, new Set(own.map(parseRole)))
    }
    return callers
  },
}

function parseName(text: string): string {
  if (text.startsWith('URI:') && URL.canParse(text.slice('URI:'.length))) return text
  const name = text.toLowerCase()
  if (!hostName.test(name)) throw new TypeError('not a name')
  return name
}

function parseRole(text: string): CallerRole {
  const role = roles.find((role) => role === text.trim())
  if (!role) throw new TypeError('not a role')
  return role
}
