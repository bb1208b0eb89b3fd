import { type Fault, pointerTo } from '../error.ts'
import { correctionHint, unknownHint } from '../fault-table.ts'
import { consentField, faultOf, freeTextField } from '../rules.ts'
import type { Candidate, LeadKind } from '../submission.ts'
import {
  findWrappers,
  isConsent,
  isNamePart,
  membersMax,
  namesOf,
  suggestFields,
  wrapperDepthMax,
} from './member-names.ts'

/** Adds the faults of unknown members; a misspelled field's replaces the field's. Returns the first that says no. */
export function judgeUnknown(
  members: readonly string[],
  candidate: Candidate,
  kind: LeadKind,
  faults: Fault[],
  hintOfValue: (field: string, value: unknown) => string,
): Fault | undefined {
  const { fields } = namesOf[kind]
  const unknown = members.filter((member) => !fields.includes(member) && candidate[member] !== undefined)
  const examined = unknown.slice(0, membersMax)
  const isSent = (field: string) => Object.hasOwn(candidate, field) && candidate[field] !== undefined
  const suggestions = suggestFields(kind, examined, isSent)
  const found = new Set(suggestions.values())
  if (examined.some(isNamePart)) found.add('name')
  const pointers = new Set(Array.from(found, pointerTo))
  const kept = faults.filter(({ code, pointer }) => code !== 'required' || !pointers.has(pointer))
  const added = examined.map((member) => {
    const suggestion = suggestions.get(member)
    const value = candidate[member]
    const faultWith = (hint: string) => faultOf(member, 'unknown_field', { detail: detailOfUnknown[kind], hint })
    if (suggestion === undefined) return faultWith(hintOfUnknown(member, value, kind))
    const rename = `Rename this member to \`${suggestion}\`.${hintOfValue(suggestion, value)}`
    return { ...faultWith(suggestion === consentField ? consentHint : rename), suggestion }
  })
  const refusal = added[examined.findIndex((member) => saysNo(member, candidate[member], suggestions))]
  // A problem lists no more faults than these. The others are only counted.
  const others = unknown.slice(membersMax).map(() => added[0] as Fault)
  faults.splice(0, faults.length, ...kept, ...added, ...others)
  return refusal
}

const detailOfUnknown = {
  quote: 'is not a field of a quote request',
  support: 'is not a field of a contact message',
} as const satisfies Record<LeadKind, string>

/** Whether an unknown member is about consent and does not give it. */
function saysNo(member: string, value: unknown, suggestions: ReadonlyMap<string, string>): boolean {
  return value !== true && !suggestions.has(member) && isConsent(member)
}

/** A member that says no must not only be removed: its customer would be contacted. */
const refusalHint =
  'If the customer says no, even to one of calls, texts and e-mail, send nothing, not even a message, and give them {{contact}}. Otherwise remove the member.'
/** The hint of a problem with such a member. */
export const refusalOfAll = `A customer who says no, even to one of calls, texts and e-mail: stop here, send nothing, not even a message, and give them {{contact}}. For any other customer: ${correctionHint}`

const consentHint = `Rename to \`${consentField}\`; the JSON value true, only after the customer's explicit yes to the wording. After a no, send nothing.`

/** Names of members of a caller who means a lead or a visit that exists. */
const aboutStored =
  /^(?:(?:lead)?id|(?:booking|reservation|appointment|visit|order|request)(?:id|number)|booking|reservation|action|status|(?:is)?cancel\w*|reschedule\w*|newdate|newtime|withdraw\w*|revoke\w*|unsubscribe)$/i

function hintOfUnknown(member: string, value: unknown, kind: LeadKind): string {
  if (isConsent(member) && value !== true) return refusalHint
  if (isConsent(member) && kind === 'support') return 'Remove the member: a contact message has no consent field.'
  if (aboutStored.test(member.replace(/[\s_-]/g, ''))) {
    return `To ask about, change, cancel or withdraw anything, send nothing: give the customer {{contact}}. Otherwise remove the member; what the customer said goes into ${freeTextField[kind]}.`
  }
  if (Array.isArray(value) && findWrappers({ [member]: value[0] }).length > 0) {
    return 'Take the members out of this list: the fields belong at the top level, and several leads need several requests.'
  }
  if (isNamePart(member)) return 'The name is one field: join them into `name`.'
  return unknownHint(freeTextField[kind])
}

/** The candidate with the members of its wrappers, and of those in them, at the top level. Its own members win. */
export function unwrap(candidate: Candidate, wrappers: readonly string[], depth = wrapperDepthMax): Candidate {
  if (wrappers.length === 0 || depth === 0) return candidate
  const inner = wrappers.map((member) => membersOf(candidate[member] as object))
  const own = Object.entries(candidate).filter(([member]) => !wrappers.includes(member))
  const flat = Object.fromEntries([...inner.flat(), ...own])
  return unwrap(flat, findWrappers(flat), depth - 1)
}

/** Beside `attributes`, JSON:API has the type and id of a resource, which say nothing about the lead. */
function membersOf(wrapper: object): [string, unknown][] {
  const isResource = Object.hasOwn(wrapper, 'attributes')
  return Object.entries(wrapper).filter(([member]) => !isResource || (member !== 'type' && member !== 'id'))
}

/** The fault of a member that holds the fields. */
export function wrapperFault(kind: LeadKind | undefined, member: string): Fault {
  return faultOf(member, 'unknown_field', {
    detail: kind && detailOfUnknown[kind],
    hint: 'Take the members out of this object, however deep: the fields belong at the top level. Other entries, if there are any, name them as if they stood there.',
  })
}
