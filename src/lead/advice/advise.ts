import { kindHints, memberHints, mistakeHints } from '../../words/faults.ts'
import { checkValue } from '../check-value.ts'
import type { Fault } from '../error.ts'
import { consentField, freeTextField, kindField, leadRules } from '../rules.ts'
import { fillSentence } from '../sentences.ts'
import type { Candidate, LeadKind } from '../submission.ts'
import { countNames } from './inner-lead.ts'
import {
  hasRooms,
  isConsent,
  isNamePart,
  looksLikeMessage,
  mayDecline,
  membersMax,
  plainName,
  suggestFields,
  textOf,
} from './member-names.ts'
import { hintOfMistake } from './value-mistakes.ts'

export interface Finding {
  member: string
  value: unknown
  fault: Fault
}

export interface Situation {
  /** Undefined if the fields do not tell. */
  kind: LeadKind | undefined
  /** The kind that the transport determines, if it does. */
  given: LeadKind | undefined
  lead: Candidate
  nowMs: number
}

/**
 * Turns what the check found into what a caller needs to repair it (docs/specification.md §5). A field that was sent
 * under another name is not reported as missing. `declined` is the first member with which the customer says no; `hint`
 * is for the whole problem, where the problem table's is too general.
 */
export function advise(found: readonly Finding[], situation: Situation) {
  const { kind, given, lead } = situation
  const examined = found.slice(0, membersMax)
  const names = examined.filter(({ fault }) => fault.code === 'unknown_field').map(({ member }) => member)
  const suggestions = kind ? suggestFields(kind, names, lead) : new Map<string, string>()
  const inside = names.flatMap((name) => (isGroup(lead[name]) ? Object.keys(lead[name]) : []))
  const elsewhere = new Set([...suggestions.values(), ...inside, ...(names.some(isNamePart) ? ['name'] : [])])
  const advised = examined
    .filter(({ member, fault }) => !(fault.code === 'required' && elsewhere.has(member)))
    .map((finding) => ({ ...finding, fault: adviseOne(finding, suggestions.get(finding.member), situation) }))
  const isDeclined = ({ member, value, fault }: Finding) =>
    fault.code === 'unknown_field' && fault.suggestion === undefined && mayDecline(member, value)
  // A quote request without rooms may be meant as a message, and a message with rooms as a quote request.
  const isRoomless = !hasRooms(lead) || [lead.bedrooms, lead.bathrooms].every((count) => saysNone.test(textOf(count)))
  const isMessage = kind === 'quote' && isRoomless && (lead[kindField] === undefined || looksLikeMessage(lead))
  const otherKind = isMessage ? kindHints.not_quote : kind === 'support' && hasRooms(lead) && kindHints.not_message
  return {
    faults: [...advised, ...found.slice(membersMax)].map(({ fault }) => fault),
    declined: advised.find(isDeclined)?.fault,
    hint: given === undefined && otherKind ? fillSentence(otherKind) : undefined,
  }
}

const saysNone = /^(?:n\/?a|none|unknown|\W+)\.?$/i

function adviseOne(finding: Finding, suggestion: string | undefined, situation: Situation): Fault {
  const { member, value, fault } = finding
  const { kind } = situation
  if (suggestion === consentField) return { ...fault, hint: memberHints.rename_consent, suggestion }
  if (suggestion !== undefined) {
    const words = suggestion === 'consentTimestamp' ? memberHints.rename_consent_time : memberHints.rename
    const hint = fillSentence(words, { field: suggestion }) + hintOfRenamed(suggestion, value, situation)
    return { ...fault, hint, suggestion }
  }
  const freeText = kind ? `\`${freeTextField[kind]}\`` : '`notes` or `message`'
  const isInvalid = fault.code.startsWith('invalid_') && typeof value === 'string'
  const hint = isInvalid ? hintOfMistake(member, value) : hintOfMember(finding, situation)
  return { ...fault, hint: fillSentence(hint ?? fault.hint, { freeText }) }
}

/** What is wrong with the value of a misnamed member, so that one answer reports both faults. */
function hintOfRenamed(field: string, value: unknown, situation: Situation): string {
  const rule = situation.kind && leadRules[situation.kind].find(({ name }) => name === field)
  const fault = rule && checkValue(rule, value, situation.nowMs)
  return typeof fault === 'object' ? ` ${adviseOne({ member: field, value, fault }, undefined, situation).hint}` : ''
}

/** Members of a caller who wants to change or look up an existing lead or visit. */
const memberAboutStored =
  /^(?:(?:lead)?id|(?:booking|reservation|appointment|visit|order|request)(?:id|number)|booking|reservation|action|status|(?:is)?cancel\w*|reschedule\w*|newdate|newtime|withdraw\w*|revoke\w*)$/

/** The beginning of a topic or message of such a caller, or of an opt-out, but not of "Remove pet hair" or "Stop by". */
const aboutStored =
  /^\W*(?:please )?(?:(?:cancel\w*|reschedul\w*|opt.?out|unsubscribe|withdraw|revoke|stop(?! by))\b|(?:remove|delete|erase) (?:me|my|our|us)\b)/i

/** Members that nobody should have at hand, and members for files. */
const secret =
  /(?:gate|door|access|alarm|entry|garage|lock(?:box)?|security)(?:code|pin)$|^(?:pin|lockbox|cvv|cvc)$|cardnumber|password/
const file = /^(?:file|attachment|photo|image|picture|video|upload)/

/** The headers of a submission by plain name, for callers who put them into the body. */
const headers = new Map(['Consent-Version', 'Content-Type', 'Idempotency-Key'].map((name) => [plainName(name), name]))

/** Whether a value is an object with some of the lead's fields. */
const isGroup = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && countNames(value) > 0

function hintOfMember({ member, value, fault }: Finding, { kind, lead }: Situation): string | undefined {
  const isContact = kind === 'support' && fault.code === 'required' && (member === 'phone' || member === 'email')
  if (isContact && [lead.helpWith, lead.message].some((text) => aboutStored.test(textOf(text))))
    return memberHints.without_contact
  if (fault.code === 'invalid_type' && Array.isArray(value)) return mistakeHints.list_of_texts
  if (fault.code !== 'unknown_field') return undefined
  const plain = plainName(member)
  const header = headers.get(plain.replace(/^x/, ''))
  if (header) return fillSentence(memberHints.header, { header })
  // Such a message is what a customer who refuses may send.
  const isRefusal = kind === 'support' && /^(?:opt.?out|e-?mail only)$/i.test(textOf(lead.helpWith))
  if (mayDecline(member, value) && !isRefusal) return memberHints.consent_refused
  if (isConsent(member)) return memberHints.consent_elsewhere
  // The id that a form gave to what a customer filled in.
  const isOfForm = plain.endsWith('id') && Object.keys(lead).some((name) => /^(?:form|entry)id$/.test(plainName(name)))
  if (memberAboutStored.test(plain) && !isOfForm) return memberHints.about_stored
  if (secret.test(plain)) return memberHints.secret
  if (file.test(plain)) return memberHints.file
  if (isGroup(value) || (Array.isArray(value) && isGroup(value[0]))) return memberHints.object
  return isNamePart(member) ? memberHints.name_part : undefined
}
