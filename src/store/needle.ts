import type { Contact } from '../lead/stored-lead.ts'

/**
 * The JSON member to search for in `personal` to find the leads of a contact. Text that a customer typed cannot match
 * it, because JSON escapes the quotation marks inside a string.
 */
export function contactNeedle({ field, value }: Contact): string {
  return JSON.stringify({ [field]: value }).slice(1, -1)
}
