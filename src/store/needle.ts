import type { Contact } from '../lead/stored-lead.ts'

/**
 * The text that a personal part contains exactly when it is this contact's: a member of the content as JSON has it. No
 * text of a customer can contain it, since JSON escapes the quotation marks of those.
 */
export function contactNeedle({ field, value }: Contact): string {
  return JSON.stringify({ [field]: value }).slice(1, -1)
}
