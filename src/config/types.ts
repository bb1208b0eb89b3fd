import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { parseUtcDateTime } from '../lead/date-time.ts'
import { placeholders } from '../lead/wording.ts'
import { ValueError, type ValueType } from './reader.ts'

function refuse(): never {
  throw new TypeError('not of this type')
}

/** A decimal whole number in a range. */
export function wholeNumber(what: string, min: number, max: number): ValueType<number> {
  return {
    expected: `a whole number of ${what}, ${min} to ${max}`,
    parse(text) {
      const value = Number(text)
      return /^\d{1,15}$/.test(text) && value >= min && value <= max ? value : refuse()
    },
  }
}

export const port: ValueType<number> = { ...wholeNumber('a port', 0, 65_535), expected: 'a port, 0 to 65535' }

/** One of several words. */
export function oneOf<const T extends string>(...words: T[]): ValueType<T> {
  return {
    expected: `one of ${words.map((word) => `"${word}"`).join(', ')}`,
    parse: (text) => words.find((word) => word === text) ?? refuse(),
  }
}

export const flag: ValueType<boolean> = {
  expected: '"true" or "false"',
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : refuse()),
}

/** One line of display text. */
export const line: ValueType<string> = {
  expected: 'one line of text, at most 200 characters',
  parse: (text) => (text.length <= 200 && !/\p{Cc}/u.test(text) ? text : refuse()),
}

/** An IP address or a host name to listen on. */
export const host: ValueType<string> = {
  expected: 'an IP address or a host name',
  parse: (text) => (isIP(text) !== 0 || /^[a-zA-Z0-9]([a-zA-Z0-9.-]*[a-zA-Z0-9])?$/.test(text) ? text : refuse()),
}

/** An http(s) origin, without a trailing slash. */
export const origin: ValueType<string> = {
  expected: 'an origin such as "https://api.example.org", without a path',
  parse(text) {
    const url = new URL(text)
    if (url.hostname.includes('*')) throw new ValueError('"*" is not a wildcard; name each host')
    const bare = url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password
    return /^https?:$/.test(url.protocol) && bare ? url.origin : refuse()
  },
}

export const httpUrl: ValueType<string> = {
  expected: '"http://…" or "https://…"',
  parse: (text) => (/^https?:$/.test(new URL(text).protocol) ? text : refuse()),
}

/** Comma-separated values of one type. */
export function listOf<T>(type: ValueType<T>, what: string): ValueType<T[]> {
  return {
    expected: `a comma-separated list of ${what}`,
    parse: (text) => text.split(',').map((part) => type.parse(part.trim())),
  }
}

export const utcDateTime: ValueType<Date> = {
  expected: 'an RFC 3339 date-time in UTC such as "2026-01-01T00:00:00Z"',
  parse: (text) => new Date(parseUtcDateTime(text) ?? refuse()),
}

/**
 * Whether this is a server URL whose user name and password are percent-encoded. With an unencoded `/`, `?` or `#` in
 * the password, the rest of the password would be parsed as the path, and its start as the host.
 */
function isServerUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && !`${url.pathname}${url.hash}`.includes('@') && !url.host.includes(',')
}

/** The database: `sqlite:PATH` or `postgres://…`. */
export const databaseUrl: ValueType<string> = {
  expected:
    '"sqlite:PATH" or "postgres://USER:PASSWORD@HOST:PORT/DATABASE", with a percent-encoded password and one host, not a list of hosts',
  parse: (text) =>
    /^sqlite:.+$/.test(text) || (/^postgres(ql)?:\/\/./.test(text) && isServerUrl(text)) ? text : refuse(),
}

/** PEM text (RFC 7468). */
export const pem: ValueType<string> = {
  expected: 'PEM text that begins with "-----BEGIN"',
  parse: (text) => (text.includes('-----BEGIN ') ? `${text}\n` : refuse()),
}

/** A secret with a minimum length. */
export const secretText: ValueType<string> = {
  expected: 'at least 16 characters',
  parse: (text) => (text.length >= 16 ? text : refuse()),
}

/** The path of a file with a consent wording. The value is the file's content, trimmed. */
export const consentWordingFile: ValueType<string> = {
  expected: `the path of a UTF-8 text file of 1 to 5,000 characters, without placeholders other than ${Object.keys(placeholders).join(' and ')}`,
  parse(path) {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)).trim()
    const known = (text.match(/\{[^{}]*\}|[{}]/g) ?? []).every((brace) => Object.hasOwn(placeholders, brace))
    const controls = /[^\P{Cc}\n\r\t]/u.test(text)
    return known && !controls && text.length > 0 && text.length <= 5_000 ? text : refuse()
  },
}
