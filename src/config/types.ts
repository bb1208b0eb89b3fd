import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { wordingPlaceholders } from '../consent/wording.ts'
import { parseUtcDateTime } from '../lead/check-value.ts'
import type { RedisOptions } from '../limit/redis-connection.ts'
import { parseTrustedProxies, type TrustedProxies } from '../net/client.ts'
import { ValueError, type ValueType } from './reader.ts'

function refuse(): never {
  throw new TypeError('not of this type')
}

/** `check` throws or returns false for a text that is not of the type. */
function textType(expected: string, check: (text: string) => unknown): ValueType<string> {
  return { expected, parse: (text) => (check(text) ? text : refuse()) }
}

export function wholeNumber(what: string, min: number, max: number): ValueType<number> {
  const isValid = (text: string) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max
  return {
    expected: `a whole number of ${what}, ${min} to ${max}`,
    parse: (text) => (isValid(text) ? Number(text) : refuse()),
  }
}

export const port: ValueType<number> = { ...wholeNumber('', 0, 65_535), expected: 'a port, 0 to 65535' }

export function oneOf<const T extends string>(...words: T[]): ValueType<T> {
  return {
    expected: `one of ${words.map((word) => `"${word}"`).join(', ')}`,
    parse: (text) => words.find((word) => word === text) ?? refuse(),
  }
}

export const line = textType(
  'one line of text, at most 200 characters',
  (text) => text.length <= 200 && !/\p{Cc}/u.test(text),
)

export const host = textType(
  'an IP address or a host name',
  (text) => isIP(text) !== 0 || /^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$/.test(text),
)

export const origin: ValueType<string> = {
  expected: 'an origin such as "https://api.example.org", without a path',
  parse(text) {
    const url = new URL(text)
    if (url.hostname.includes('*')) throw new ValueError('"*" is not a wildcard; name each host')
    const bare = url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password
    return /^https?:$/.test(url.protocol) && bare ? url.origin : refuse()
  },
}

export const origins: ValueType<string[]> = {
  expected: 'a comma-separated list of origins such as "https://www.example.org"',
  parse: (text) => text.split(',').map((part) => origin.parse(part.trim())),
}

export const httpUrl = textType('"http://…" or "https://…"', (text) => /^https?:$/.test(new URL(text).protocol))
export const certificate = textType('a certificate in PEM', (text) => new X509Certificate(text))
export const privateKey = textType('a private key in PEM without a passphrase', createPrivateKey)
export const secretText = textType('at least 16 characters', (text) => text.length >= 16)

export const trustedProxies: ValueType<TrustedProxies> = {
  expected: 'a comma-separated list of CIDRs, addresses, "loopback", "linklocal" or "uniquelocal"',
  parse: parseTrustedProxies,
}

export const utcDateTime: ValueType<Date> = {
  expected: 'an RFC 3339 date-time in UTC such as "2026-01-01T00:00:00Z"',
  parse: (text) => new Date(parseUtcDateTime(text) ?? refuse()),
}

export const databaseUrl = textType(
  '"sqlite:PATH" with the path of a file, or "postgres://USER:PASSWORD@HOST:PORT/DATABASE", with a percent-encoded password and one host, not a list of hosts',
  (text) => /^sqlite:[^:].*$/.test(text) || (/^postgres(ql)?:\/\/./.test(text) && isServerUrl(text)),
)

/** An unencoded `/`, `?` or `#` in a password would end the host too early. */
function isServerUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && !`${url.pathname}${url.hash}`.includes('@') && !url.host.includes(',')
}

/** The path of a file with a consent wording. The value is the file's content, trimmed. */
export const consentWordingFile: ValueType<string> = {
  expected: `the path of a UTF-8 text file of 1 to 5,000 characters, without placeholders other than ${Object.keys(wordingPlaceholders).join(' and ')}`,
  parse(path) {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)).trim()
    const known = (text.match(/\{[^{}]*\}|[{}]/g) ?? []).every((brace) => Object.hasOwn(wordingPlaceholders, brace))
    const controls = /[^\P{Cc}\n\r\t]/u.test(text)
    return known && !controls && text.length > 0 && text.length <= 5_000 ? text : refuse()
  },
}

/** Scheme, kind, user information, hosts, path and query. Their delimiters are percent-encoded inside them. */
const form = /^(rediss?)(?:\+(cluster|sentinel))?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^@?#]*))?(?:\?([^@#]*))?$/

export const redisUrl: ValueType<RedisOptions> = {
  expected:
    '"redis://HOST:PORT", "redis+cluster://HOST:PORT,…" or "redis+sentinel://HOST:PORT,…/MASTER?sentinelPassword=…", with "USER:PASSWORD@" before the hosts, and "rediss" for TLS',
  parse(text) {
    const [, scheme, kind = 'single', login = '', hosts = '', path = '', query = ''] = form.exec(text) ?? []
    if (scheme === undefined) throw new ValueError('is / ? # or @ in a password not percent-encoded?')
    const username = decode(login.replace(/:.*/, ''))
    const password = decode(login.replace(/^[^:]*:?/, ''))
    if (kind === 'single') {
      if (parseHosts(hosts, 6_379).length > 1)
        throw new ValueError('several hosts need "redis+cluster" or "redis+sentinel"')
      if (!/^\d*$/.test(path) || query !== '') throw new ValueError('only the number of a database may follow the host')
      return { kind, url: text }
    }
    const shared = { username: username || undefined, password: password || undefined, tls: scheme === 'rediss' }
    if (kind === 'cluster') {
      if (path !== '' || query !== '') throw new ValueError('nothing may follow the hosts of a Cluster')
      return { kind, nodes: parseHosts(hosts, 6_379), ...shared }
    }
    const name = decode(path)
    if (name === '' || name.includes('/')) throw new ValueError('the name of the master must follow the hosts')
    const { sentinelPassword, ...unknown } = Object.fromEntries(new URLSearchParams(query.replaceAll('+', '%2B')))
    if (Object.keys(unknown).length > 0) throw new ValueError('the only parameter is sentinelPassword')
    return { kind: 'sentinel', sentinels: parseHosts(hosts, 26_379), name, sentinelPassword, ...shared }
  },
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ValueError('a percent sign is %25')
  }
}

function parseHosts(text: string, defaultPort: number) {
  return text.split(',').map((part) => {
    const url = URL.parse(`redis://${part}`)
    if (!url?.hostname) throw new ValueError('a host is not HOST, HOST:PORT or [IPv6]:PORT')
    return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || defaultPort) }
  })
}

const roles = ['submit', 'read', 'erase'] as const
const role = oneOf(...roles)
export type CallerRole = ReturnType<typeof role.parse>

/** By the name in the certificate: a DNS name in lowercase, or `URI:` and a URI, so that it cannot pass for a host. */
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
      callers.set(name, new Set(own.split('+').map((text) => role.parse(text.trim()))))
    }
    return callers
  },
}
