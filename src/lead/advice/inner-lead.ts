import type { Candidate } from '../submission.ts'
import { isKnownName, isNamePart, membersMax } from './member-names.ts'

/** How many objects deep a lead is looked for, and among how many objects and lists. */
const depthMax = 10
const objectsMax = 500

/**
 * The path to the object inside a candidate that has the most names of fields, at least two and more than the
 * candidate, as in `params.arguments` of a tool call. An object may also be the JSON in a string.
 */
export function findInnerLead(candidate: Candidate): string[] | undefined {
  const objects: { value: object; path: string[]; depth: number }[] = [{ value: candidate, path: [], depth: 0 }]
  let most = 1
  let found: string[] = []
  // The list grows in the loop.
  for (const { value, path, depth } of objects) {
    const names = countNames(value)
    if (names > most) [most, found] = [names, path]
    for (const [name, member] of Object.entries(value).slice(0, membersMax)) {
      const inner = toObject(member)
      const innerDepth = Array.isArray(inner) ? depth : depth + 1
      if (inner && innerDepth <= depthMax && objects.length < objectsMax)
        objects.push({ value: inner, path: [...path, name], depth: innerDepth })
    }
  }
  return found.length > 0 ? found : undefined
}

/** How many names of an object mean a field that has a value there. The parts of a name count as one. */
export function countNames(value: object): number {
  if (Array.isArray(value)) return 0
  const members = Object.entries(value).slice(0, membersMax)
  const known = members.filter(([name, member]) => typeof member !== 'object' && isKnownName(name))
  return new Set(known.map(([name]) => (isNamePart(name) ? 'name' : name))).size
}

function toObject(value: unknown): object | undefined {
  if (typeof value === 'object') return value ?? undefined
  if (typeof value !== 'string' || !/^\s?[{[]/.test(value)) return undefined
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}
