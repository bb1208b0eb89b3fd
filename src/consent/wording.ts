import { sha256 } from '../lead/fingerprint.ts'

/** The rule about consent, which appears next to the wording everywhere: no text may state a weaker one. */
export const consentRule =
  'Tell the customer this wording. Send `true` only after their explicit yes to it. Silence is not consent; neither is "whatever". Leave `consentTimestamp` out unless you know the exact time.'

/** What the caller states by sending `true`. Published, and recorded by hash, like the wording. */
const statementText =
  'By sending `true` the caller states that this wording was presented to the customer, who said yes to it for their own number and address.'

/** The wording for a business that has not written its own. It does not say how the business calls. */
const wordingTemplate =
  'I ask {BUSINESS_NAME} to contact me by phone, text message or e-mail about this request, at the phone number and e-mail address I give here. This is not a condition of any purchase. I can stop it at any time and in any reasonable way, such as replying STOP or calling {BUSINESS_PHONE}.'

/**
 * The date of the last change to `statementText` and `wordingTemplate`: update it with them. The version of every
 * wording begins with it, even of a business's own, because the statement belongs to each.
 */
export const textsDate = '2026-11-28'

/** A text that evidence refers to by hash, with placeholders filled in. A consent wording has a version. */
export interface PublishedText {
  text: string
  sha256: string
  version?: string
}

/** The text that a customer agrees to, the caller's statement about it, and who the business is. */
export type ConsentTexts = ReturnType<typeof createConsentTexts>

type NamedBusiness = Readonly<Record<'name' | 'postalAddress' | 'phone' | 'email', string>>

/** Renders the texts in force. If a name or number that the wording contains changes, so does its version. */
export function createConsentTexts(business: NamedBusiness, ownTemplate?: string) {
  const ownWording = ownTemplate?.trim()
  const wording = publish(fillWording(ownWording || wordingTemplate, business))
  const { name, postalAddress, phone, email } = business
  return {
    wording: { version: `${textsDate}-${wording.sha256.slice(0, 8)}`, isOwn: Boolean(ownWording), ...wording },
    statement: publish(statementText),
    business: publish([name, postalAddress, phone, email].join('\n')),
  }
}

export const wordingPlaceholders = { '{BUSINESS_NAME}': 'name', '{BUSINESS_PHONE}': 'phone' } as const
type Placeholder = keyof typeof wordingPlaceholders

/** Works in one pass, so that a name that looks like a placeholder is not replaced. */
function fillWording(template: string, business: NamedBusiness): string {
  return template.replace(/\{\w+\}/g, (text) => business[wordingPlaceholders[text as Placeholder]] ?? text)
}

const publish = (text: string): PublishedText => ({ text, sha256: sha256(text) })

export function createConsentNotice(baseUrl: string, { wording }: ConsentTexts) {
  return { version: wording.version, wording: wording.text, url: `${baseUrl}/terms#consent` }
}
