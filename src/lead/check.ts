import { kindHints, memberDetails } from '../words/faults.ts'
import { hints, problems } from '../words/problems.ts'
import { advise, type Finding } from './advice/advise.ts'
import { faultOfInner, findInnerLead } from './advice/inner-lead.ts'
import { allFields, hasRooms, lexicon, looksLikeMessage, textOf } from './advice/member-names.ts'
import { checkValue } from './check-value.ts'
import { type Fault, LeadError } from './error.ts'
import { isAbsent } from './normalize.ts'
import { isPlaceholder } from './placeholder.ts'
import { faultOf, kindField, leadRules } from './rules.ts'
import { fillSentence } from './sentences.ts'
import type { Candidate, LeadContent, LeadKind, Submission } from './submission.ts'
import { findTestData } from './test-data.ts'

export interface CheckOptions {
  /** Given if the transport determines it; otherwise `formType` does. */
  kind?: LeadKind | undefined
  nowMs: number
  acceptTestLeads: boolean
  /** A fault of the stated wording version. */
  wordingFault?: Fault | undefined
  /** What is wrong with the idempotency key. Every other problem's hint says it first. */
  keyHint?: string | undefined
  /** Faults in the rest of the request, so that one answer names everything to correct. */
  otherFaults?: readonly Fault[]
}

/**
 * Normalizes a candidate and checks it against the rules in the proto file. Finds all faults, not only the first.
 * Throws a `LeadError` (docs/specification.md §3): `consent_required` if consent is the only fault, `validation_failed`
 * with a fault about consent first, or `test_lead_rejected`.
 */
export function checkLead(candidate: Candidate, options: CheckOptions): Submission {
  const { kind: given, nowMs, wordingFault, keyHint, otherFaults = [] } = options
  const first = keyHint === undefined ? [] : [keyHint]
  const lead = withoutAbsent(candidate)
  const { kind, fault } = readKind(lead, given)
  const { content, found } = kind ? checkFields(kind, lead, nowMs) : { content: {}, found: [] }
  if (fault) found.unshift({ member: kindField, value: lead[kindField], fault })
  // A contact message does not agree to a wording.
  const wording = wordingFault && kind === 'quote' ? [wordingFault] : []
  const testData = options.acceptTestLeads ? [] : findTestData(content)
  if (kind && found.length + wording.length + otherFaults.length === 0) {
    if (testData.length === 0) return { kind, content }
    refuse('test_lead_rejected', testData, first)
  }
  const inner = found.length > 0 && findInnerLead(candidate)
  // What is missing from the object around the lead does not matter.
  if (inner) {
    const itsKind = inner.value[kindField] === 'support' ? 'support' : 'quote'
    const isReady = checkFields(itsKind, withoutAbsent(inner.value), nowMs).found.length === 0
    refuse('validation_failed', [faultOfInner(inner, isReady), ...wording, ...otherFaults], first)
  }
  const { faults, declined, hint } = advise(found, { kind, given, lead, nowMs })
  // What is left of a sample, so that one answer names all of it.
  const unfilled = testData.filter(({ code }) => code === 'placeholder')
  const all = [...faults, ...unfilled, ...wording, ...otherFaults]
  const consent = all.find(({ code }) => code === 'consent_required')
  const top = consent ?? declined
  const ordered = top ? [top, ...all.filter((fault) => fault !== top)] : all
  if (consent && all.length === 1) refuse('consent_required', ordered, first, hint)
  if (testData.length > 0) first.unshift(fillSentence(hints.perhaps_test, { fields: testData.map(nameOf).join(', ') }))
  refuse('validation_failed', ordered, first, hint)
}

/** The candidate without null or blank fields, which strict tools send because they cannot leave a field out. */
function withoutAbsent(candidate: Candidate): Candidate {
  const isSent = (name: string) => !(allFields.has(name) && isAbsent(candidate[name]))
  if (Object.keys(candidate).every(isSent)) return candidate
  return Object.fromEntries(Object.entries(candidate).filter(([name]) => isSent(name)))
}

/**
 * The kind that `formType` or the transport selects. Otherwise a fault, with the kind that the fields suggest, if any,
 * so that one answer names the other faults too.
 */
function readKind(lead: Candidate, given: LeadKind | undefined): { kind?: LeadKind; fault?: Fault } {
  const value = lead[kindField]
  // A message that is called a quote request gets the same answer as one without formType.
  if (given === undefined && (value === undefined || value === 'quote') && looksLikeMessage(lead)) {
    const fault = { detail: memberDetails.kind_of_message, hint: fillSentence(kindHints.missing) }
    return { kind: 'support', fault: faultOf(kindField, 'required', fault) }
  }
  if (value === undefined) return { kind: given ?? 'quote' }
  if ((value === 'quote' || value === 'support') && value === (given ?? value)) return { kind: value }
  const codeOfText = (text: string) => (isPlaceholder(kindField, text) ? 'placeholder' : 'invalid_value')
  const code = typeof value === 'string' ? codeOfText(value) : 'invalid_type'
  const fault = faultOf(kindField, code, { hint: fillSentence(kindHints.other_value) })
  if (given !== undefined) return { kind: given, fault }
  if (hasRooms(lead) || /^quote$/i.test(textOf(value))) return { kind: 'quote', fault }
  return looksLikeMessage(lead) ? { kind: 'support', fault } : { fault }
}

function checkFields(kind: LeadKind, lead: Candidate, nowMs: number): { content: LeadContent; found: Finding[] } {
  const content: Record<string, string | boolean> = { [kindField]: kind }
  const found: Finding[] = []
  for (const rule of leadRules[kind]) {
    const value = lead[rule.name]
    const result = checkValue(rule, value, nowMs)
    if (typeof result === 'object') found.push({ member: rule.name, value, fault: result })
    else if (result !== undefined) content[rule.name] = result
  }
  const detail = memberDetails[kind]
  for (const member of Object.keys(lead)) {
    if (!lexicon[kind].fields.includes(member))
      found.push({ member, value: lead[member], fault: faultOf(member, 'unknown_field', { detail }) })
  }
  return { content, found }
}

/** Throws a problem. Sentences about the whole request come first in its hint. */
function refuse(code: keyof typeof problems, faults: readonly Fault[], first: string[], hint?: string): never {
  const detail = code === 'consent_required' ? undefined : summarize(faults)
  throw new LeadError(code, { detail, faults, hint: fillSentence([...first, hint ?? problems[code].hint].join(' ')) })
}

const nameOf = ({ pointer }: Fault) => pointer.slice(2)

/** Names the known fields at fault. Unknown members are only counted, because their names are the caller's text. */
function summarize(faults: readonly Fault[]): string {
  const names = faults.filter((fault) => fault.code !== 'unknown_field').map(nameOf)
  const unknown = faults.length - names.length
  if (unknown > 0) names.push(unknown === 1 ? '1 unknown member' : `${unknown} unknown members`)
  return `${faults.length} ${faults.length === 1 ? 'field needs' : 'fields need'} attention: ${names.join(', ')}.`
}
