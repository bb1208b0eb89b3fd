import type { Fault } from './error.ts'
import { isFreeText, normalizeField } from './normalize.ts'
import { hasPaymentCard } from './payment-card.ts'
import { isPlaceholder } from './placeholder.ts'
import { type FieldRule, faultOf } from './rules.ts'

/** Returns the normalized value of a field, its fault, or undefined for an absent optional field. */
export function checkValue(rule: FieldRule, value: unknown, nowMs: number): string | boolean | undefined | Fault {
  if (rule.type === 'string') return checkText(rule, value, nowMs)
  if (value === rule.mustBe) return rule.mustBe
  if (value === undefined) return rule.faults.missing
  return value === !rule.mustBe ? rule.faults.value : rule.faults.type
}

function checkText(rule: FieldRule, value: unknown, nowMs: number): string | undefined | Fault {
  if (value === undefined) return rule.required ? rule.faults.missing : undefined
  if (typeof value !== 'string') return rule.faults.type
  const text = normalizeField(rule.name, value)
  if (text === '') return rule.required ? rule.faults.missing : undefined
  if (isPlaceholder(rule.name, text)) return faultOf(rule.name, 'placeholder')
  if (text.length > rule.maxLength && Array.from(text).length > rule.maxLength) return rule.faults.tooLong
  if (rule.pattern && !rule.pattern.test(text)) return rule.faults.value
  // A pattern cannot check that the time exists and is not in the future.
  if (rule.name === 'consentTimestamp' && (parseUtcDateTime(text) ?? Infinity) > nowMs + clockToleranceMs)
    return rule.faults.value
  if (isFreeText(rule.name) && hasPaymentCard(text)) return faultOf(rule.name, 'payment_card')
  return text
}

/** How far the clocks of honest callers may be ahead of the server's, in milliseconds. */
export const clockToleranceMs = 5 * 60_000

/** Whether the day with which a text begins exists: `Date` takes February 30 for March 2. */
export const hasRealDay = (text: string) =>
  new Date(`${text.slice(0, 10)}T00:00Z`).getUTCDate() === Number(text.slice(8, 10))

const grammar = /^\d{4}-\d{2}-\d{2}[Tt](?:(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d|23:59:(60))(?:\.\d+)?(?:[Zz]|[+-]00:00)$/

/** Returns milliseconds since the epoch, if it is an RFC 3339 §5.6 time in UTC. A leap second counts as the next. */
export function parseUtcDateTime(text: string): number | undefined {
  const [time, leap] = grammar.exec(text) ?? []
  if (time === undefined || !hasRealDay(time)) return undefined
  return Date.parse(time.toUpperCase().replace(':60', ':59')) + (leap ? 1_000 : 0)
}
