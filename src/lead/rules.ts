import { type DescField, type DescMessage, getOption, hasOption } from '@bufbuild/protobuf'
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt'
import { field as fieldRules } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
import { fault as faultOption } from '../gen/leadintake/v1/fault_pb.ts'
import { ContactMessageSchema, QuoteRequestSchema } from '../gen/leadintake/v1/lead_pb.ts'
import { type Fault, type FaultCode, pointerTo } from './error.ts'
import { faultTable } from './fault-table.ts'
import type { LeadKind } from './submission.ts'

/** A field of one kind of lead, compiled from its protovalidate options in the proto file. */
export interface FieldRule {
  /** The REST name, which is the protobuf JSON name. */
  readonly name: string
  readonly type: 'string' | 'boolean'
  readonly required: boolean
  /** In Unicode characters. Infinity: unlimited. */
  readonly maxLength: number
  /** The pattern for the normalized string. */
  readonly pattern: RegExp | undefined
  /** The pattern as the proto file has it. */
  readonly patternText: string
  /** The only valid value of a boolean. */
  readonly mustBe: boolean | undefined
  /** The faults that this field can have, created once. */
  readonly faults: {
    readonly missing: Fault
    readonly type: Fault
    readonly tooLong: Fault
    /** The value does not match the pattern or the constant. */
    readonly value: Fault
  }
}

/** Where each kind can carry text that has no field of its own. */
export const freeTextField = { quote: 'notes', support: 'message' } as const satisfies Record<LeadKind, string>

/** The consent field. No other member is ever accepted in its place. */
export const consentField = 'communicationsConsent'

/** The member that selects the kind. It is not a field of the lead and is checked first. */
export const kindField = 'formType'

/** Creates an entry of `errors` for a field, with the fault table's texts unless the field has its own. */
export function faultOf(name: string, code: FaultCode, own: { detail?: string; hint?: string } = {}): Fault {
  const row = faultTable[code]
  return { pointer: pointerTo(name), code, detail: own.detail || row.detail, hint: own.hint || row.hint }
}

/** Added to the hint when a boolean has another type, such as `"true"`: text does not count as consent. */
const notText = 'It must be the JSON value true, not a text, number, list or object.'

/** The message that defines the rules for each kind of lead. */
export const leadMessages = {
  quote: QuoteRequestSchema,
  support: ContactMessageSchema,
} as const satisfies Record<LeadKind, DescMessage>

/** The rules of each kind, in the order of the proto file, compiled at the start. */
export const leadRules: Readonly<Record<LeadKind, readonly FieldRule[]>> = {
  quote: compileMessage(leadMessages.quote),
  support: compileMessage(leadMessages.support),
}

/** The names of a kind's required fields, for hints. */
export function fieldNames(kind: LeadKind): string {
  const required = leadRules[kind].filter((rule) => rule.required)
  return required.map(({ name }) => name).join(', ')
}

/** What a lead has, for callers whose body is not a lead. */
export const leadShape = `A quote request is one flat object with the strings ${fieldNames('quote').replace(`, ${consentField}`, '')}, and ${consentField}: true, only after the customer's explicit yes to \`consent.wording\` of this answer. A contact message has formType "support" and the strings ${fieldNames('support')}. There is no other field: a date, an address or the language goes into notes or message. The phone number is one of the U.S., Canada or another +1 country, ten digits; counts are numerals such as "2.5". A no to calls, texts or e-mail, or a phone number of any other country, even if it has ten digits and no country code: send nothing, not even a message. For these, and to change, cancel or ask about a lead, give the customer {{contact}}.`

/** Throws on a rule that this code cannot check. */
function compileMessage(message: DescMessage): FieldRule[] {
  return message.fields.filter((field) => field.jsonName !== kindField).map(compileField)
}

function compileField(field: DescField): FieldRule {
  const where = `${field.parent.typeName}.${field.name}`
  if (
    field.fieldKind !== 'scalar' ||
    field.presence !== FeatureSet_FieldPresence.EXPLICIT ||
    !hasOption(field, fieldRules)
  ) {
    throw new Error(`${where}: expected an optional scalar with buf.validate rules`)
  }
  const { required, type } = getOption(field, fieldRules)
  const own = getOption(field, faultOption)
  const code = own.code || 'invalid_value'
  if (!Object.hasOwn(faultTable, code)) throw new Error(`${where}: add a row for ${code} to src/lead/fault-table.ts`)
  const name = field.jsonName
  const value = faultOf(name, code as FaultCode, own)
  const base = { name, required, maxLength: Number.POSITIVE_INFINITY, pattern: undefined, mustBe: undefined }

  if (type.case === 'bool') {
    refuseOthers(where, type.value, ['const'])
    const typeFault = { ...value, hint: `${value.hint} ${notText}` }
    const faults = { missing: value, type: typeFault, tooLong: value, value }
    return { ...base, type: 'boolean', patternText: '', mustBe: type.value.const, faults }
  }
  if (type.case !== 'string') throw new Error(`${where}: no checker for ${type.case ?? 'no'} rules`)
  refuseOthers(where, type.value, ['minLen', 'maxLen', 'pattern'])
  const { maxLen, pattern: patternText } = type.value
  const maxLength = maxLen === 0n ? base.maxLength : Number(maxLen)
  const pattern = patternText ? new RegExp(patternText, 'u') : undefined
  const tooLong = {
    detail: `must have at most ${maxLength} characters`,
    hint: `Shorten it to ${maxLength} characters.`,
  }
  const faults = {
    missing: faultOf(name, 'required', { hint: own.whatToSend }),
    type: faultOf(name, 'invalid_type', { hint: own.whatToSend }),
    tooLong: faultOf(name, 'too_long', tooLong),
    value,
  }
  return { ...base, type: 'string', maxLength, pattern, patternText, faults }
}

/** A rule in the proto file that this code cannot check must fail the start, not be ignored. */
function refuseOthers(where: string, rules: object, known: string[]): void {
  for (const name of Object.keys(rules)) {
    const value = (rules as Record<string, unknown>)[name]
    const unset = value === undefined || (Array.isArray(value) && value.length === 0)
    const absentOneof = typeof value === 'object' && value !== null && 'case' in value && value.case === undefined
    if (name.startsWith('$') || known.includes(name) || unset || absentOneof) continue
    throw new Error(`${where}: no checker for the rule ${name}`)
  }
}
