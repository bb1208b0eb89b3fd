import { clockToleranceMs, parseUtcDateTime } from './date-time.ts'
import { type Fault, LeadError, pointerTo } from './error.ts'
import { faultTable } from './fault-table.ts'
import { looksLikeMessage, suggestFields } from './member-names.ts'
import { normalizeField } from './normalize.ts'
import { consentField, type FieldRule, faultOf, freeTextField, kindField, leadRules } from './rules.ts'
import type { Candidate, LeadContent, LeadKind, Submission } from './submission.ts'
import { findTestData } from './test-data.ts'
import { explainValue } from './value-hints.ts'

export interface CheckOptions {
  /** The kind, if the transport already determines it. Otherwise `formType` does. */
  kind?: LeadKind | undefined
  /** The server's clock, in milliseconds since the epoch. */
  nowMs: number
  /** Whether reserved test data is accepted. */
  acceptTestLeads: boolean
}

/**
 * Normalizes a candidate and checks it against the rules in the proto file. Finds all faults, not only the first.
 * Throws a `LeadError` (docs/specification.md §3): `consent_required` if consent is the only fault, `validation_failed`
 * with the consent fault first, or `test_lead_rejected`.
 */
export function checkLead(candidate: Candidate, options: CheckOptions): Submission {
  const kind = readKind(candidate, options)
  const rules = leadRules[kind]
  const faults: Fault[] = []
  const content: Record<string, string | boolean> = { [kindField]: kind }
  let known = Object.hasOwn(candidate, kindField) ? 1 : 0

  for (const rule of rules) {
    const value = Object.hasOwn(candidate, rule.name) ? candidate[rule.name] : undefined
    if (value !== undefined) known++
    const result = rule.type === 'string' ? checkText(rule, value, options.nowMs) : checkFlag(rule, value)
    if (typeof result === 'object') faults.push(result)
    else if (result !== undefined) content[rule.name] = result
  }
  const members = Object.keys(candidate)
  const all = members.length > known ? judgeUnknown(members, candidate, kind, faults) : faults
  if (all.length > 0) refuse(all)
  if (!options.acceptTestLeads) refuseTestData(content)
  return { kind, content }
}

function refuse(faults: readonly Fault[]): never {
  const consent = faults.find(({ code }) => code === 'consent_required')
  if (!consent) throw new LeadError('validation_failed', summarize(faults), { faults })
  if (faults.length === 1) throw new LeadError('consent_required', problemOfConsent, { faults })
  const consentFirst = [consent, ...faults.filter((fault) => fault !== consent)]
  throw new LeadError('validation_failed', summarize(consentFirst), { faults: consentFirst })
}

const problemOfConsent = 'communicationsConsent is not the JSON value true.'

function readKind(candidate: Candidate, { kind: given }: CheckOptions): LeadKind {
  const value = Object.hasOwn(candidate, kindField) ? candidate[kindField] : undefined
  if (value === undefined) {
    if (given === undefined && looksLikeMessage(candidate)) refuse([kindMissing()])
    return given ?? 'quote'
  }
  if ((value === 'quote' || value === 'support') && value === (given ?? value)) return value
  const code = typeof value === 'string' ? 'invalid_value' : 'invalid_type'
  refuse([faultOf(kindField, code, { hint: faultTable.invalid_value.hint })])
}

/**
 * A message without `formType` must not be taken for a quote request, or its sender would invent rooms to satisfy it.
 */
function kindMissing(): Fault {
  const fields = leadRules.support.map(({ name }) => name)
  return faultOf(kindField, 'required', {
    detail: 'is required for a contact message',
    hint: `A message needs formType "support" and has these fields: ${fields.join(', ')}.`,
  })
}

function checkFlag(rule: FieldRule, value: unknown): boolean | Fault {
  if (value === rule.mustBe) return value as boolean
  return value === undefined || typeof value === 'boolean' ? rule.faults.value : rule.faults.type
}

function checkText(rule: FieldRule, value: unknown, nowMs: number): string | undefined | Fault {
  if (value === undefined) return rule.required ? rule.faults.missing : undefined
  if (typeof value !== 'string') return rule.faults.type
  if (!value.isWellFormed() || value.includes('\0')) return rule.faults.characters
  const text = normalizeField(rule.name, value)
  if (text === '' && rule.required) return rule.faults.missing
  if (text.length > rule.maxLength && countCharacters(text) > rule.maxLength) return rule.faults.tooLong
  if (rule.pattern && !rule.pattern.test(text)) return explainValue(rule, text)
  if (rule.name === 'consentTimestamp' && !isPast(text, nowMs)) return rule.faults.value
  return text
}

/** What a pattern cannot check: that the date exists and is not in the future. */
function isPast(text: string, nowMs: number): boolean {
  const time = parseUtcDateTime(text)
  return time !== undefined && time <= nowMs + clockToleranceMs
}

function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** The faults of fields plus unknown members. An unknown member may be a misspelled field, and replaces its fault. */
function judgeUnknown(members: string[], candidate: Candidate, kind: LeadKind, faults: readonly Fault[]): Fault[] {
  const fields = [kindField, ...leadRules[kind].map(({ name }) => name)]
  const unknown = members.filter((member) => !fields.includes(member) && candidate[member] !== undefined)
  const isSent = (field: string) => Object.hasOwn(candidate, field) && candidate[field] !== undefined
  const suggestions = suggestFields(kind, unknown, isSent)
  const found = new Set(Array.from(suggestions.values(), pointerTo))
  return [
    ...faults.filter(({ code, pointer }) => code !== 'required' || !found.has(pointer)),
    ...unknown.map((member) => unknownMember(kind, member, suggestions.get(member))),
  ]
}

function unknownMember(kind: LeadKind, member: string, suggestion: string | undefined): Fault {
  const detail = kind === 'quote' ? 'is not a field of a quote request' : 'is not a field of a contact message'
  if (member === consentField) {
    return faultOf(member, 'unknown_field', {
      detail,
      hint: 'Remove the member: a contact message has no consent field.',
    })
  }
  if (suggestion === undefined) {
    const hint = `Remove the member; put the customer's words into ${freeTextField[kind]}.`
    return faultOf(member, 'unknown_field', { detail, hint })
  }
  const hint =
    suggestion === consentField
      ? `Rename to \`${consentField}\`; the JSON value true, and only if the customer agreed.`
      : `Rename this member to \`${suggestion}\`.`
  return { ...faultOf(member, 'unknown_field', { detail, hint }), suggestion }
}

function refuseTestData(content: LeadContent): void {
  const faults = findTestData(content)
  if (faults.length > 0) throw new LeadError('test_lead_rejected', summarize(faults), { faults })
}

/** Names the known fields at fault. Only counts unknown members, because their names are the caller's text. */
function summarize(faults: readonly Fault[]): string {
  const names = faults.filter((fault) => fault.code !== 'unknown_field').map((fault) => fault.pointer.slice(2))
  const unknown = faults.length - names.length
  if (unknown > 0) names.push(unknown === 1 ? '1 unknown member' : `${unknown} unknown members`)
  return `${faults.length} ${faults.length === 1 ? 'field needs' : 'fields need'} attention: ${names.join(', ')}.`
}
