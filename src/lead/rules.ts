import { type DescField, getOption } from '@bufbuild/protobuf'
import { field as fieldRules } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js'
import { fault as faultOption, unannounced } from '../gen/leadintake/v1/fault_pb.ts'
import { ContactMessageSchema, QuoteRequestSchema } from '../gen/leadintake/v1/lead_pb.ts'
import { fillWords } from '../template.ts'
import { faults, memberDetails, sendHints } from '../words/faults.ts'
import { type Fault, type FaultCode, pointerTo } from './error.ts'
import type { LeadKind } from './submission.ts'

/** The rule of a field of one kind of lead, compiled from the options in the proto file. */
export interface FieldRule {
  readonly name: string
  readonly type: 'string' | 'boolean'
  readonly required: boolean
  /** Whether the form, the documents and the hints show it. */
  readonly announced: boolean
  /** In Unicode characters; may be Infinity. */
  readonly maxLength: number
  /** For the normalized string. */
  readonly pattern: RegExp | undefined
  readonly mustBe: boolean | undefined
  /** `value` is for one that does not match the pattern or the constant. */
  readonly faults: Readonly<Record<'missing' | 'type' | 'tooLong' | 'value', Fault>>
}

/** The field of each kind for anything that has no field of its own. */
export const freeTextField = { quote: 'notes', support: 'message' } as const satisfies Record<LeadKind, string>

export const consentField = 'communicationsConsent'

/** The member that selects the kind. It is checked first, and is not a field of the lead. */
export const kindField = 'formType'

/** Creates an entry of `errors` for a field, with the texts of its code unless it has its own. */
export function faultOf(name: string, code: FaultCode, ownTexts: { detail?: string; hint?: string } = {}): Fault {
  return { pointer: pointerTo(name), code, ...faults[code], ...ownTexts }
}

export const leadMessages = { quote: QuoteRequestSchema, support: ContactMessageSchema } as const

/** The rules of each kind, in the order of the proto file, compiled at the start. */
export const leadRules: Readonly<Record<LeadKind, readonly FieldRule[]>> = {
  quote: leadMessages.quote.fields.filter(({ jsonName }) => jsonName !== kindField).map(compileField),
  support: leadMessages.support.fields.filter(({ jsonName }) => jsonName !== kindField).map(compileField),
}

/** Throws on a type that this code cannot check. test/lead/check.test.ts compares the rules. */
function compileField(field: DescField): FieldRule {
  const where = `${field.parent.typeName}.${field.name}`
  const { required, type } = getOption(field, fieldRules)
  const option = getOption(field, faultOption)
  const name = field.jsonName
  const value = faultOf(name, (option.code || 'invalid_value') as FaultCode)
  const announced = !getOption(field, unannounced)
  const base = { name, required, announced, maxLength: Number.POSITIVE_INFINITY, pattern: undefined, mustBe: undefined }

  if (type.case === 'bool') {
    const missing = faultOf(name, value.code, { detail: memberDetails.consent })
    const no = { ...value, detail: memberDetails.consent_false }
    const fieldFaults = { missing, type: value, tooLong: value, value: no }
    return { ...base, type: 'boolean', mustBe: type.value.const, faults: fieldFaults }
  }
  if (type.case !== 'string') throw new Error(`${where}: no checker for ${type.case ?? 'no'} rules`)
  const { minLen, maxLen } = type.value
  if (minLen > 1n) throw new Error(`${where}: no checker for a min_len beyond 1`)
  const maxLength = maxLen === 0n ? base.maxLength : Number(maxLen)
  const { too_long: tooLong } = faults
  const max = { max: maxLength }
  const pattern = type.value.pattern ? new RegExp(type.value.pattern, 'u') : undefined
  const send = { hint: sendHints[option.send as keyof typeof sendHints] }
  const fieldFaults = {
    missing: faultOf(name, 'required', send),
    type: faultOf(name, 'invalid_type', send),
    tooLong: faultOf(name, 'too_long', { detail: fillWords(tooLong.detail, max), hint: fillWords(tooLong.hint, max) }),
    value,
  }
  return { ...base, type: 'string', maxLength, pattern, faults: fieldFaults }
}
