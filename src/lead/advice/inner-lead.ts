import { memberDetails, memberHints } from '../../words/faults.ts'
import { type Fault, pointerTo } from '../error.ts'
import { faultOf } from '../rules.ts'
import { fillSentence } from '../sentences.ts'
import type { Candidate } from '../submission.ts'
import { isKnownName, isNamePart, membersMax } from './member-names.ts'

/** How many objects deep a lead is looked for, and among how many objects and lists. */
const depthMax = 10
const objectsMax = 500

type Inner = Readonly<{ value: Candidate; path: string[]; depth: number }>

/**
 * The object inside a body that has the most names of fields, at least two and more than the body, as in
 * `params.arguments` of a tool call. An object may also be the JSON in a string.
 */
export function findInnerLead(body: object): Inner | undefined {
  const objects: Inner[] = [{ value: body as Candidate, path: [], depth: 0 }]
  let most = 1
  let found: Inner | undefined
  // The list grows in the loop.
  for (const object of objects) {
    const { value, path, depth } = object
    const names = Math.max(countNames(value), countPairs(value))
    if (names > most) [most, found] = [names, object]
    for (const [name, member] of Object.entries(value).slice(0, membersMax)) {
      const inner = toObject(member)
      const innerDepth = Array.isArray(inner) ? depth : depth + 1
      if (inner && innerDepth <= depthMax && objects.length < objectsMax)
        objects.push({ value: inner, path: [...path, name], depth: innerDepth })
    }
  }
  return found?.path.length ? found : undefined
}

/** The fault of a body with a lead inside. `isReady` is whether the inner lead has no fault itself. */
export function faultOfInner({ value, path }: Inner, isReady: boolean): Fault {
  const { inner: detail } = memberDetails
  const isFlat = Object.values(value).every((member) => typeof member !== 'object' || member === null)
  const hint = fillSentence(`${isReady && isFlat ? memberHints.inner : memberHints.build}${isReady ? '' : ' {{lead}}'}`)
  const pointer = `#${path.map((name) => pointerTo(name).slice(1)).join('')}`
  return { ...faultOf('', 'unknown_field', { detail, hint }), pointer }
}

/** How many names of an object mean a field that has a value there. The parts of a name count as one. */
export function countNames(value: object): number {
  if (Array.isArray(value)) return 0
  const members = Object.entries(value).slice(0, membersMax)
  return countKnown(members.map(([name, member]) => (typeof member === 'object' ? '' : name)))
}

/** The same of pairs such as `{ "name": "phone", "value": "…" }`, as the forms of advertisements send them. */
function countPairs(value: Candidate): number {
  const pairs = Object.values(value).slice(0, membersMax)
  const textsOf = (pair: unknown) => (typeof pair === 'object' ? Object.values(pair ?? {}).slice(0, membersMax) : [])
  const isName = (text: unknown) => typeof text === 'string' && isKnownName(text)
  return countKnown(pairs.map((pair) => String(textsOf(pair).find(isName))))
}

const countKnown = (names: string[]) =>
  new Set(names.filter(isKnownName).map((name) => (isNamePart(name) ? 'name' : name))).size

function toObject(value: unknown): Candidate | undefined {
  if (typeof value === 'object') return (value as Candidate) ?? undefined
  if (typeof value !== 'string' || !/^\s?[{[]/.test(value)) return undefined
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}
