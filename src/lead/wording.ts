import { sha256 } from './fingerprint.ts'

/**
 * The one rule about consent. Documents, the field's description and the hint of an error all print this sentence, so
 * that nobody finds it in a weaker form.
 */
export const consentRule =
  'Tell the customer this wording. Send `true` only after their explicit yes to it. Leave `consentTimestamp` out unless you know the exact time.'

/** What the caller states by sending `true`. It is published and recorded by its hash, like the wording. */
const statementText =
  'By sending `true` the caller states that the customer was told this wording and said yes to the caller, for their own number and address.'

/** The wording of a business that has not written its own. */
const wordingTemplate =
  'I ask {BUSINESS_NAME} to contact me by phone, text message or e-mail about this request, at the number and address I give here. A person calls and writes: no autodialer, no recorded or artificial voice. This is not a condition of any purchase. I can stop it at any time and in any way, such as replying STOP or calling {BUSINESS_PHONE}.'

/** When the two texts above last changed: YYYY-MM-DD. Change it with them. */
const textsVersion = '2026-11-22'

/** A text that evidence names by its hash. */
export interface PublishedText {
  version: string
  /** As published: placeholders are filled in. */
  text: string
  /** SHA-256 of `text`, 64 hexadecimal digits. */
  sha256: string
}

/** What a customer agrees to, and what the caller states about it. */
export interface ConsentTexts {
  wording: PublishedText
  statement: PublishedText
}

/** Which values a wording's placeholders stand for. */
export interface NamedBusiness {
  name: string
  phone: string
}

/**
 * Renders the texts in force. `template` is the business's own wording (`CONSENT_WORDING_FILE`), with the same
 * placeholders; its version comes from its content, so that an edit cannot keep the old one.
 */
export function createConsentTexts(business: NamedBusiness, template?: string): ConsentTexts {
  const own = template?.trim()
  return {
    wording: publish(own ? `custom-${sha256(own).slice(0, 12)}` : textsVersion, fill(own || wordingTemplate, business)),
    statement: publish(textsVersion, statementText),
  }
}

/** One pass over the template, so that a name that looks like a placeholder stays a name. */
function fill(template: string, { name, phone }: NamedBusiness): string {
  const values: Record<string, string> = { BUSINESS_NAME: name, BUSINESS_PHONE: phone }
  return template.replace(/\{(BUSINESS_NAME|BUSINESS_PHONE)\}/g, (_, key: string) => values[key] as string)
}

function publish(version: string, text: string): PublishedText {
  return { version, text, sha256: sha256(text) }
}
