import { parseUtcDateTime } from './date-time.ts'
import { type Fault, LeadError } from './error.ts'
import { normalizeField } from './normalize.ts'
import { isPageUrl } from './page-url.ts'
import { type FieldRule, faultOf, freeTextField, kindField, leadRules } from './rules.ts'
import type { Candidate, LeadContent, LeadKind, Submission } from './submission.ts'
import { findTestData } from './test-data.ts'

/** How far ahead of the server's clock a consent may be: clocks of honest callers differ. */
const clockToleranceMs = 5 * 60_000

export interface CheckOptions {
  /** The kind, where the wire has decided it already; otherwise `formType` decides. */
  kind?: LeadKind | undefined
  /** The server's clock, in milliseconds since the epoch. */
  nowMs: number
  /** Whether reserved test data is let through. */
  acceptTestLeads: boolean
}

/**
 * Normalises and judges a candidate by the rules of the proto file; finds every fault, not only the first.
 * Throws a `LeadError`: `consent_required`, `validation_failed` or `test_lead_rejected`, in that order (contract §3).
 */
export function checkLead(candidate: Candidate, options: CheckOptions): Submission {
  const kind = readKind(candidate, options.kind)
  const faults: Fault[] = []
  const content: Record<string, string | boolean> = { [kindField]: kind }
  let known = Object.hasOwn(candidate, kindField) ? 1 : 0
  let consentMissing = false

  for (const rule of leadRules[kind]) {
    const value = Object.hasOwn(candidate, rule.name) ? candidate[rule.name] : undefined
    if (value !== undefined) known++
    const result = rule.type === 'string' ? checkText(rule, value, options.nowMs) : checkFlag(rule, value)
    if (typeof result === 'object') {
      faults.push(result)
      consentMissing ||= result.code === 'consent_required'
    } else if (result !== undefined) {
      content[rule.name] = result
    }
  }
  const members = Object.keys(candidate)
  if (members.length > known) faults.push(...findUnknown(members, candidate, kind))

  if (consentMissing) throw new LeadError('consent_required', 'communicationsConsent is not true.', { faults })
  if (faults.length > 0) throw new LeadError('validation_failed', summarize(faults), { faults })
  if (!options.acceptTestLeads) refuseTestData(content)
  return { kind, content }
}

function readKind(candidate: Candidate, given: LeadKind | undefined): LeadKind {
  const value = Object.hasOwn(candidate, kindField) ? candidate[kindField] : undefined
  if (value === undefined) return given ?? 'quote'
  const text = typeof value === 'string' ? value.trim() : value
  if ((text === 'quote' || text === 'support') && text === (given ?? text)) return text
  const fault = faultOf(kindField, typeof value === 'string' ? 'invalid_value' : 'invalid_type')
  throw new LeadError('validation_failed', summarize([fault]), { faults: [fault] })
}

function checkFlag(rule: FieldRule, value: unknown): boolean | Fault {
  return value === rule.mustBe ? (value as boolean) : rule.faults.value
}

function checkText(rule: FieldRule, value: unknown, nowMs: number): string | undefined | Fault {
  if (value === undefined) return rule.required ? rule.faults.missing : undefined
  if (typeof value !== 'string') return rule.faults.type
  if (!value.isWellFormed() || value.includes('\0')) return rule.faults.characters
  const text = normalizeField(rule.name, value)
  if (text === '' && rule.required) return rule.faults.missing
  if (text.length > rule.maxLength && countCharacters(text) > rule.maxLength) return rule.faults.tooLong
  if (rule.pattern && !rule.pattern.test(text)) return rule.faults.value
  return checkMeaning(rule, text, nowMs) ?? text
}

/** What a pattern cannot say: that a date exists and has come, and that a URL parses. */
function checkMeaning(rule: FieldRule, text: string, nowMs: number): Fault | undefined {
  if (rule.name === 'consentTimestamp') {
    const time = parseUtcDateTime(text)
    return time === undefined || time > nowMs + clockToleranceMs ? rule.faults.value : undefined
  }
  if (rule.name === 'pageUrl') return isPageUrl(text) ? undefined : rule.faults.value
  return undefined
}

function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

function findUnknown(members: string[], candidate: Candidate, kind: LeadKind): Fault[] {
  const names = new Set([kindField, ...leadRules[kind].map((rule) => rule.name)])
  const own = {
    detail: kind === 'quote' ? 'is not a field of a quote request' : 'is not a field of a contact message',
    hint: `Remove the member; put what the customer said into ${freeTextField[kind]}.`,
  }
  return members
    .filter((member) => !names.has(member) && candidate[member] !== undefined)
    .map((member) => faultOf(member, 'unknown_field', own))
}

function refuseTestData(content: LeadContent): void {
  const faults = findTestData(content)
  if (faults.length > 0) throw new LeadError('test_lead_rejected', summarize(faults), { faults })
}

/** Names the known fields at fault; unknown members are counted, since their names are the caller's text. */
function summarize(faults: readonly Fault[]): string {
  const names = faults.filter((fault) => fault.code !== 'unknown_field').map((fault) => fault.pointer.slice(2))
  const unknown = faults.length - names.length
  if (unknown > 0) names.push(unknown === 1 ? '1 unknown member' : `${unknown} unknown members`)
  return `${faults.length} ${faults.length === 1 ? 'field needs' : 'fields need'} attention: ${names.join(', ')}.`
}
