import { findWrappers, hasRooms, looksLikeMessage, namesOf } from './advice/member-names.ts'
import { judgeUnknown, refusalOfAll, unwrap, wrapperFault } from './advice/unknown-members.ts'
import { explainValue } from './advice/value-hints.ts'
import { clockToleranceMs, parseUtcDateTime } from './date-time.ts'
import { type Fault, LeadError } from './error.ts'
import { correctionHint, faultTable } from './fault-table.ts'
import { isAbsent, isFreeText, normalizeField } from './normalize.ts'
import { hasPaymentCard } from './payment-card.ts'
import { type FieldRule, faultOf, fieldNames, kindField, leadRules } from './rules.ts'
import type { Candidate, LeadContent, LeadKind, Submission } from './submission.ts'
import { isTemplate } from './template.ts'
import { findTestData } from './test-data.ts'

export interface CheckOptions {
  /** The kind, if the transport already determines it. Otherwise `formType` does. */
  kind?: LeadKind | undefined
  /** The server's clock, in milliseconds since the epoch. */
  nowMs: number
  /** Whether reserved test data is accepted. */
  acceptTestLeads: boolean
  /** What is wrong with the stated version of the wording. It does not matter to a message, which has no consent. */
  wordingFault?: Fault | undefined
  /** What is wrong with the rest of the request, so that one answer names everything to correct. */
  otherFaults?: readonly Fault[]
}

/**
 * Normalizes a candidate and checks it against the rules in the proto file. Finds all faults, not only the first.
 * Throws a `LeadError` (docs/specification.md §3): `consent_required` if consent is the only fault, `validation_failed`
 * with a fault about consent first, or `test_lead_rejected`.
 */
export function checkLead(candidate: Candidate, options: CheckOptions): Submission {
  const wrappers = findWrappers(candidate)
  const flat = withoutAbsent(unwrap(candidate, wrappers))
  const found: Fault[] = []
  const kind = findKind(flat, options, found)
  const content: Record<string, string | boolean> = { [kindField]: kind ?? '' }
  // While the kind is unknown, only faults of values are reported: those of a message's fields.
  const check: Check = { kind: kind ?? 'support', options, content, faults: found, refusal: undefined }
  checkFields(flat, check)
  if (kind === 'quote' && options.wordingFault) found.push(options.wordingFault)
  const faults = kind === undefined ? found.filter(isAboutValue) : found
  for (const member of wrappers) faults.push(wrapperFault(kind, member))
  faults.push(...(options.otherFaults ?? []))
  if (faults.length > 0 || kind === undefined) {
    const hint = isGuess(flat, options) ? guessHint : undefined
    refuse(faults, kind && check.refusal, hint)
  }
  if (!options.acceptTestLeads) refuseTestData(content)
  return { kind, content }
}

const fields: ReadonlySet<string> = new Set(Object.values(namesOf).flatMap((names) => names.fields))

/** The candidate without the fields of either kind that are null or blank: strict tools cannot leave a field out. */
function withoutAbsent(candidate: Candidate): Candidate {
  const entries = Object.entries(candidate)
  const sent = entries.filter(([name, value]) => !(isAbsent(value) && fields.has(name)))
  return sent.length === entries.length ? candidate : Object.fromEntries(sent)
}

/** Whether a body without `formType` is taken for a quote request though it has no rooms: it may be a message. */
function isGuess(candidate: Candidate, { kind }: CheckOptions): boolean {
  return (
    kind === undefined && candidate[kindField] === undefined && !hasRooms(candidate) && !looksLikeMessage(candidate)
  )
}

/** Whether a fault is reported while the kind is unknown. The hint of `formType` names the fields already. */
function isAboutValue({ code }: Fault): boolean {
  return code !== 'required' && code !== 'unknown_field'
}

interface Check {
  kind: LeadKind
  options: CheckOptions
  /** Gets the normalized values. */
  content: Record<string, string | boolean>
  /** Gets the faults. */
  faults: Fault[]
  /** Gets the first fault of an unknown member with which the customer says no. */
  refusal: Fault | undefined
}

function checkFields(candidate: Candidate, check: Check): void {
  const { kind, content, faults } = check
  let known = Object.hasOwn(candidate, kindField) ? 1 : 0
  for (const rule of leadRules[kind]) {
    const value = Object.hasOwn(candidate, rule.name) ? candidate[rule.name] : undefined
    if (value !== undefined) known++
    const result = rule.type === 'string' ? checkText(rule, value, check) : checkFlag(rule, value)
    if (typeof result === 'object') faults.push(result)
    else if (result !== undefined) content[rule.name] = result
  }
  const members = Object.keys(candidate)
  if (members.length > known) {
    const hintOfField = (field: string, value: unknown) => hintOfValue(field, value, check)
    check.refusal = judgeUnknown(members, candidate, kind, faults, hintOfField)
  }
}

function refuse(faults: readonly Fault[], refusal: Fault | undefined, hint: string | undefined): never {
  const consent = faults.find(({ code }) => code === 'consent_required')
  if (consent && faults.length === 1) throw new LeadError('consent_required', problemOfConsent, { faults })
  const first = consent ?? refusal
  const ordered = first ? [first, ...faults.toSpliced(faults.indexOf(first), 1)] : faults
  const hintOfAll = refusal && first === refusal ? refusalOfAll : hint
  throw new LeadError('validation_failed', summarize(ordered), { faults: ordered, hint: hintOfAll })
}

const problemOfConsent = 'communicationsConsent is not the JSON value true.'

/**
 * The kind that `formType` or the transport selects. If that is impossible, adds a fault, and guesses, so that one
 * answer names the other faults too. Undefined: the fields do not tell.
 */
function findKind(candidate: Candidate, { kind: given }: CheckOptions, faults: Fault[]): LeadKind | undefined {
  const value = Object.hasOwn(candidate, kindField) ? candidate[kindField] : undefined
  if (value === undefined) {
    if (given !== undefined || !looksLikeMessage(candidate)) return given ?? 'quote'
    faults.push(kindMissing())
    return 'support'
  }
  if ((value === 'quote' || value === 'support') && value === (given ?? value)) return value
  const code =
    typeof value !== 'string' ? 'invalid_type' : isTemplate(kindField, value) ? 'placeholder' : 'invalid_value'
  faults.push(faultOf(kindField, code, { hint: kindHint }))
  if (given !== undefined) return given
  if (hasRooms(candidate) || /^quote$/i.test(String(value))) return 'quote'
  return looksLikeMessage(candidate) ? 'support' : undefined
}

const messageFields = `A message has only these fields: ${fieldNames('support')}.`
const kindHint = `${faultTable.invalid_value.hint} ${messageFields} A quote request needs ${fieldNames('quote')}.`

const guessHint = `The body was read as a quote request; a message needs formType "support". ${messageFields} ${correctionHint}`

/** The fault of a message without `formType`. Told that rooms are missing, its sender might invent some. */
function kindMissing(): Fault {
  return faultOf(kindField, 'required', {
    detail: 'is required for a contact message',
    hint: `A message needs formType "support". ${messageFields}`,
  })
}

function checkFlag(rule: FieldRule, value: unknown): boolean | Fault {
  if (value === rule.mustBe) return value as boolean
  return value === undefined || typeof value === 'boolean' ? rule.faults.value : rule.faults.type
}

function checkText(rule: FieldRule, value: unknown, { kind, options }: Check): string | undefined | Fault {
  if (value === undefined) return rule.required ? rule.faults.missing : undefined
  if (typeof value !== 'string') return rule.faults.type
  const text = normalizeField(rule.name, value)
  if (text === '') return rule.required ? rule.faults.missing : undefined
  if (isTemplate(rule.name, text)) return faultOf(rule.name, 'placeholder')
  if (text.length > rule.maxLength && Array.from(text).length > rule.maxLength) return rule.faults.tooLong
  if (rule.pattern && !rule.pattern.test(text)) return explainValue(rule, text, kind)
  if (rule.name === 'consentTimestamp' && !isPast(text, options.nowMs)) return rule.faults.value
  if (isFreeText(rule.name) && hasPaymentCard(text)) return faultOf(rule.name, 'payment_card')
  return text
}

/** What a pattern cannot check: that the date exists and is not in the future. */
function isPast(text: string, nowMs: number): boolean {
  const time = parseUtcDateTime(text)
  return time !== undefined && time <= nowMs + clockToleranceMs
}

/** What is wrong with the value of a misnamed member, so that one answer names both. */
function hintOfValue(field: string, value: unknown, check: Check): string {
  if (field === kindField) return value === 'quote' || value === 'support' ? '' : ` ${kindHint}`
  const rule = leadRules[check.kind].find(({ name }) => name === field)
  const result = rule && checkText(rule, value, check)
  return typeof result === 'object' ? ` ${result.hint}` : ''
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
