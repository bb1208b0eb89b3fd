import type { ValueType } from './reader.ts'

const roles = ['submit', 'read', 'erase'] as const
export type CallerRole = (typeof roles)[number]

/**
 * The roles of each caller, by the name in its certificate: a DNS name in lowercase, or a URI with the prefix `URI:`,
 * so that it cannot pass for a host.
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
      const [, given = '', own = ''] = /^\s*(.*?)\s*=([^=]*)$/.exec(part) ?? []
      const isUri = given.startsWith('URI:') && URL.canParse(given.slice('URI:'.length))
      const name = isUri ? given : given.toLowerCase()
      if (!(isUri || hostName.test(name)) || callers.has(name)) throw new TypeError('not a name, or there twice')
      callers.set(name, new Set(own.split('+').map(parseRole)))
    }
    return callers
  },
}

function parseRole(text: string): CallerRole {
  const role = roles.find((role) => role === text.trim())
  if (!role) throw new TypeError('not a role')
  return role
}
