import type { Candidate } from '../submission.ts'
import { allFields, isConsent, isKnownName, membersMax } from './member-names.ts'

export interface Wrapper {
  member: string
  /** Undefined for a text that looks like a lead but is not valid JSON. */
  inside: Candidate | undefined
  isText: boolean
}

/** The candidate with the members of its wrappers, such as `lead` or `data`, at the top level. Its own members win. */
export function unwrap(candidate: Candidate): { inner: Candidate; wrappers: Wrapper[] } {
  const members = Object.keys(candidate)
  // A whole lead may also be the value of a field that is sent alone.
  const mayWrap = members.filter((member) => members.length === 1 || !allFields.has(member)).slice(0, membersMax)
  const wrappers = mayWrap.flatMap((member) => toWrapper(member, candidate[member]))
  if (wrappers.length === 0) return { inner: candidate, wrappers }
  const outer = Object.entries(candidate).filter(([member]) => !wrappers.some((wrapper) => wrapper.member === member))
  const inside = wrappers.flatMap((wrapper) => Object.entries(wrapper.inside ?? {}))
  return { inner: Object.fromEntries([...inside, ...outer]), wrappers }
}

function toWrapper(member: string, value: unknown): Wrapper[] {
  if (isConsent(member)) return []
  if (holdsFields(value)) return [{ member, inside: value, isText: false }]
  return typeof value === 'string' && isLead(value) ? [{ member, inside: parseObject(value), isText: true }] : []
}

export function holdsFields(value: unknown): value is Candidate {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.keys(value).slice(0, membersMax).some(isKnownName)
}

/** Whether a text looks like the JSON of a lead: it begins with a brace and has a known name. */
function isLead(text: string): boolean {
  if (!text.trimStart().startsWith('{')) return false
  const names = text.matchAll(/["']([\w -]{1,40})["']\s*:/g)
  return [...names.take(membersMax)].some(([, name = '']) => isKnownName(name))
}

function parseObject(text: string): Candidate | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
