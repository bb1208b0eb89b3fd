import { sha256 } from './fingerprint.ts'
import type { WordingName } from './submission.ts'

/** The one rule about consent, beside the wording wherever that stands: no text may state a weaker rule. */
export const consentRule =
  'Tell the customer this wording. Send `true` only after their explicit yes to it. Silence is not consent; neither is "whatever". Leave `consentTimestamp` out unless you know the exact time.'

/** What the caller states by sending `true`. Published, and recorded by hash, like the wording. */
const statementText =
  'By sending `true` the caller states that this wording was presented to the customer, who said yes to the caller, for their own number and address.'

/** The wording for a business that has not written its own. */
const wordingTemplate =
  'I ask {BUSINESS_NAME} to contact me by phone, text message or e-mail about this request, at the phone number and e-mail address I give here. A person calls and writes: no autodialer, no recorded or artificial voice. This is not a condition of any purchase. I can stop it at any time and in any way, such as replying STOP or calling {BUSINESS_PHONE}.'

/** The date of the last change to `statementText` and `wordingTemplate`, YYYY-MM-DD. Update it with them. */
export const textsVersion = '2026-11-22'

/** A text that evidence refers to by hash. */
export interface PublishedText {
  /** As published, with placeholders filled in. */
  text: string
  /** SHA-256 of `text`, as 64 hexadecimal digits. */
  sha256: string
}

/** The text that a customer agrees to, and the caller's statement about it. */
export interface ConsentTexts {
  wording: PublishedText & WordingName
  statement: PublishedText
}

/** The values for a wording's placeholders. */
export interface NamedBusiness {
  name: string
  phone: string
}

/**
 * Renders the texts in force. `template` is the business's own wording (`CONSENT_WORDING_FILE`), with the same
 * placeholders. Its version is derived from its content, so that an edit always changes the version.
 */
export function createConsentTexts(business: NamedBusiness, template?: string): ConsentTexts {
  const own = template?.trim()
  const version = own ? `custom-${sha256(own).slice(0, 12)}` : textsVersion
  return {
    wording: { version, ...publish(fill(own || wordingTemplate, business)) },
    statement: publish(statementText),
  }
}

/** The placeholders of a wording, and the values that they stand for. */
export const placeholders = {
  '{BUSINESS_NAME}': 'name',
  '{BUSINESS_PHONE}': 'phone',
} as const satisfies Record<string, keyof NamedBusiness>

/** One pass, so that a name that looks like a placeholder is not replaced. */
function fill(template: string, business: NamedBusiness): string {
  return template.replace(/\{\w+\}/g, (text) => business[placeholders[text as keyof typeof placeholders]] ?? text)
}

function publish(text: string): PublishedText {
  return { text, sha256: sha256(text) }
}
