import { kindHints, memberDetails, memberHints } from '../../words/faults.ts'
import { checkValue } from '../check-value.ts'
import type { Fault } from '../error.ts'
import { consentField, faultOf, freeTextField, kindField, leadRules } from '../rules.ts'
import { sentence } from '../sentences.ts'
import type { Candidate, LeadKind } from '../submission.ts'
import {
  hasRooms,
  isConsent,
  isNamePart,
  looksLikeMessage,
  membersMax,
  plainName,
  suggestFields,
} from './member-names.ts'
import { hintOfMistake } from './value-mistakes.ts'
import { holdsFields, type Wrapper } from './wrappers.ts'

/** A fault that the check found, and where. */
export interface Finding {
  member: string
  value: unknown
  fault: Fault
}

/** What the check knows of the whole lead. */
export interface Situation {
  /** Undefined: the fields do not tell. */
  kind: LeadKind | undefined
  /** The kind that the transport determines, if it does. */
  given: LeadKind | undefined
  lead: Candidate
  wrappers: readonly Wrapper[]
  nowMs: number
}

export interface Advice {
  /** What was found, with the best hints. A field that is there under another name is not missing. */
  faults: Fault[]
  wrapperFaults: Fault[]
  /** The first member with which the customer says no. */
  refusal: Fault | undefined
  /** The hint of the whole problem, where the table's is too general. */
  hint: string | undefined
}

/** Turns what the check found into what a caller needs to repair it (docs/specification.md §5). Judges no value. */
export function advise(found: readonly Finding[], situation: Situation): Advice {
  const { kind, lead, wrappers } = situation
  const unknown = found.filter(({ fault }) => fault.code === 'unknown_field').slice(0, membersMax)
  const names = unknown.map(({ member }) => member)
  const suggestions = kind ? suggestFields(kind, names, (field) => Object.hasOwn(lead, field)) : new Map()
  const elsewhere = new Set<string>(suggestions.values())
  if (names.some(isNamePart)) elsewhere.add('name')
  const unreadable = wrappers.some(({ inside }) => inside === undefined)
  const examined = new Set(unknown)
  const isElsewhere = ({ member, value, fault }: Finding) =>
    (fault.code === 'required' && elsewhere.has(member)) || (unreadable && value === undefined)
  const advised = found
    .filter((finding) => !isElsewhere(finding))
    .map((finding) => ({
      finding,
      fault: examined.has(finding)
        ? adviseMember(finding, suggestions.get(finding.member), situation)
        : adviseValue(finding, kind),
    }))
  const isRefusal = ({ member, value }: Finding) => value !== true && isConsent(member) && !suggestions.has(member)
  return {
    faults: advised.map(({ fault }) => fault),
    wrapperFaults: wrappers.map((wrapper) => adviseWrapper(wrapper, kind)),
    refusal: advised.find(({ finding }) => examined.has(finding) && isRefusal(finding))?.fault,
    hint: isGuess(situation) ? sentence(kindHints.guessed) : undefined,
  }
}

/** Whether a body without `formType` was taken for a quote request though it has no rooms: it may be a message. */
function isGuess({ given, lead }: Situation): boolean {
  return given === undefined && lead[kindField] === undefined && !hasRooms(lead) && !looksLikeMessage(lead)
}

const placeOf = (kind: LeadKind | undefined) => ({
  freeText: kind ? `\`${freeTextField[kind]}\`` : '`notes` or `message`',
})

function adviseValue({ member, value, fault }: Finding, kind: LeadKind | undefined): Fault {
  const isValue = fault.code.startsWith('invalid_') && typeof value === 'string'
  const hint = isValue ? hintOfMistake(member, value) : undefined
  return { ...fault, hint: sentence(hint ?? fault.hint, placeOf(kind)) }
}

function adviseMember(finding: Finding, suggestion: string | undefined, situation: Situation): Fault {
  const { fault, value } = finding
  if (suggestion === undefined)
    return { ...fault, hint: sentence(hintOfUnknown(finding, situation.kind), placeOf(situation.kind)) }
  if (suggestion === consentField) return { ...fault, hint: memberHints.rename_consent, suggestion }
  const hint = sentence(memberHints.rename, { field: suggestion }) + hintOfRenamed(suggestion, value, situation)
  return { ...fault, hint, suggestion }
}

/** What is wrong with the value of a misnamed member, so that one answer names both. */
function hintOfRenamed(field: string, value: unknown, { kind, nowMs }: Situation): string {
  if (field === kindField) return value === 'quote' || value === 'support' ? '' : ` ${sentence(kindHints.other_value)}`
  const rule = kind && leadRules[kind].find(({ name }) => name === field)
  const fault = rule && checkValue(rule, value, nowMs)
  return typeof fault === 'object' ? ` ${adviseValue({ member: field, value, fault }, kind).hint}` : ''
}

/** Names of members of a caller who means a lead or a visit that exists. */
const aboutStored =
  /^(?:(?:lead)?id|(?:booking|reservation|appointment|visit|order|request)(?:id|number)|booking|reservation|action|status|(?:is)?cancel\w*|reschedule\w*|newdate|newtime|withdraw\w*|revoke\w*|unsubscribe)$/

/** The headers of a submission, by plain name. */
const headers = new Map(['Consent-Version', 'Idempotency-Key'].map((name) => [plainName(name), name]))

function hintOfUnknown({ member, value, fault }: Finding, kind: LeadKind | undefined): string {
  const plain = plainName(member)
  const header = headers.get(plain)
  if (header) return sentence(memberHints.header, { header })
  if (isConsent(member) && value !== true) return memberHints.consent_refused
  if (isConsent(member) && kind === 'support') return memberHints.consent_of_message
  if (aboutStored.test(plain)) return memberHints.about_stored
  if (Array.isArray(value) && holdsFields(value[0])) return memberHints.list
  if (isNamePart(member)) return memberHints.name_part
  return fault.hint
}

function adviseWrapper({ member, isText }: Wrapper, kind: LeadKind | undefined): Fault {
  const hint = isText ? memberHints.text_of_object : memberHints.object
  return faultOf(member, 'unknown_field', { hint, ...(kind && { detail: memberDetails[kind] }) })
}
