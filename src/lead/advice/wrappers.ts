import type { Candidate } from '../submission.ts'
import { isConsent, isKnownName, membersMax, namesOf } from './member-names.ts'

/** A member that is no field but holds fields. */
export interface Wrapper {
  member: string
  /** What it holds. Undefined: a text that looks like a lead but is not valid JSON. */
  inside: Candidate | undefined
  /** Whether it holds them as a text. */
  isText: boolean
}

/** The candidate with the members of its wrappers, such as `lead` or `data`, at the top level. Its own members win. */
export function unwrap(candidate: Candidate): { inner: Candidate; wrappers: Wrapper[] } {
  const wrappers = Object.entries(candidate)
    .slice(0, membersMax)
    .flatMap(([member, value]) => toWrapper(member, value))
  if (wrappers.length === 0) return { inner: candidate, wrappers }
  const own = Object.entries(candidate).filter(([member]) => !wrappers.some((wrapper) => wrapper.member === member))
  const inside = wrappers.flatMap((wrapper) => Object.entries(wrapper.inside ?? {}))
  return { inner: Object.fromEntries([...inside, ...own]), wrappers }
}

function toWrapper(member: string, value: unknown): Wrapper[] {
  if (Object.values(namesOf).some(({ fields }) => fields.includes(member)) || isConsent(member)) return []
  if (typeof value !== 'string') return holdsFields(value) ? [{ member, inside: value, isText: false }] : []
  if (!value.trimStart().startsWith('{')) return []
  const inside = parseObject(value)
  return holdsFields(inside) || mentionsFields(value) ? [{ member, inside, isText: true }] : []
}

/** Whether a value is an object with a known name. */
export function holdsFields(value: unknown): value is Candidate {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.keys(value).slice(0, membersMax).some(isKnownName)
}

function parseObject(text: string): Candidate | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a text has a known name in quotes before a colon. */
function mentionsFields(text: string): boolean {
  const names = text.matchAll(/["']([\w -]{1,40})["']\s*:/g)
  return [...names.take(membersMax)].some(([, name = '']) => isKnownName(name))
}
