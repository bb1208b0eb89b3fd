import type { Config } from '../config/config.ts'
import { type ConsentTexts, textsDate } from '../consent/wording.ts'
import { sha256 } from '../lead/fingerprint.ts'
import { keyWindowHours } from '../lead/submit.ts'
import { escapeHtml, type Value, type Values } from '../template.ts'

export interface DiscoveryContext extends Config {
  /** The consent wording in force, and the caller's statement. */
  consent: ConsentTexts
  now: () => number
}

/** When the meaning of `content/privacy.md` last changed. `test/site/pages.test.ts` compares it with the text. */
const privacyDate = '2026-11-28'

export function createValues(context: DiscoveryContext, format: Format): Values {
  const { baseUrl, business, ratePolicy: policy, legacy, retentionDays, duplicateWindowHours, corsOrigins } = context
  const { wording } = context.consent
  const tel = telUri(business.phone)
  /** For a JSON text in any format. Apostrophes are escaped, for attributes in single quotes. */
  const jsonText = (text: string) => format.verbatim(JSON.stringify(text).slice(1, -1).replaceAll("'", '\\u0027'))
  /** For a sample of HTML in any format. */
  const htmlText = (text: string, uri?: string) =>
    format.verbatim(uri ? `<a href="${escapeHtml(uri)}">${escapeHtml(text)}</a>` : escapeHtml(text))
  /** Facts of this deployment in the privacy notice. */
  const stated = [business, wording.version, retentionDays, duplicateWindowHours, policy.windowSeconds]
  return {
    baseUrl: format.verbatim(baseUrl),
    host: format.verbatim(new URL(baseUrl).host),
    business: business.name,
    businessJson: jsonText(business.name),
    serviceArea: business.serviceArea,
    canada: /\bCanada\b/i.test(business.serviceArea),
    postalAddress: business.postalAddress,
    serviceProviders: business.serviceProviders,
    backups: business.backupDays === undefined ? undefined : amount(business.backupDays, 'day'),
    phone: tel ? format.link(business.phone, tel) : business.phone,
    phoneUri: tel,
    phoneJson: jsonText(business.phone),
    phoneHtml: htmlText(business.phone, tel),
    email: format.link(business.email, mailto(business.email)),
    emailJson: jsonText(business.email),
    emailHtml: htmlText(business.email, mailto(business.email)),
    emailUri: format.verbatim(mailto(business.email)),
    // In one paragraph, so that all of it stays inside a quotation.
    wording: wording.text.replace(/\s+/g, ' '),
    wordingJson: jsonText(wording.text),
    wordingVersion: wording.version,
    ownWording: wording.isOwn,
    wordingDate: wording.isOwn ? undefined : longDate(new Date(textsDate)),
    wordingHash: wording.sha256,
    privacyDate: longDate(new Date(privacyDate)),
    privacyVersion: `${privacyDate}-${sha256(JSON.stringify(stated)).slice(0, 8)}`,
    rate: `${amount(policy.limit, 'submission')} per ${policy.windowSeconds === 60 ? 'minute' : amount(policy.windowSeconds, 'second')}`,
    limit: policy.limit,
    remaining: policy.limit - 1,
    overLimit: policy.limit + 1,
    burst: 2 * policy.limit - 1,
    window: amount(policy.windowSeconds, 'second'),
    windowSeconds: policy.windowSeconds,
    retryAfter: Math.ceil(policy.windowSeconds * 0.7),
    keyHours: amount(keyWindowHours(duplicateWindowHours), 'hour'),
    duplicateHours: duplicateWindowHours === 0 ? undefined : amount(duplicateWindowHours, 'hour'),
    retention: retentionDays === undefined ? undefined : amount(retentionDays, 'day'),
    localUse: context.acceptTestLeads,
    corsOrigins: corsOrigins.join(', '),
    deprecated: longDate(legacy.deprecatedAt),
    removalAnnounced: legacy.removal && longDate(legacy.removal.announcedAt),
    removal: legacy.removal && longDate(legacy.removal.at),
    ...timedValues(context),
  }
}

/** What changes with time. `security.txt` expires (RFC 9116 §2.5.5) on the first of a month, so that replicas agree. */
export function timedValues({ now, legacy: { removal } }: DiscoveryContext) {
  const today = new Date(now())
  return {
    securityExpiry: new Date(Date.UTC(today.getUTCFullYear() + 1, today.getUTCMonth(), 1)).toISOString(),
    removed: removal && today >= removal.at,
  }
}

/** Formats `20000` as `20,000`, without `toLocaleString`, which loads ICU. */
export const grouped = (value: number) => String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')

const amount = (value: number, unit: string) => `${grouped(value)} ${unit}${value === 1 ? '' : 's'}`

const months = 'January February March April May June July August September October November December'.split(' ')

/** Formats a day in UTC as `January 1, 2026`, like `grouped` without ICU. */
const longDate = (date: Date) => `${months[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()}`

/** An e-mail address as a URI (RFC 6068 §2). */
const mailto = (address: string) => `mailto:${encodeURIComponent(address).replaceAll('%40', '@')}`

/** A phone number of the North American plan as a URI (RFC 3966). Undefined for another text. */
function telUri(phone: string): string | undefined {
  const digits = /^(?:\+?1)?(\d{10})$/.exec(phone.replace(/[\s().-]/g, ''))?.[1]
  return digits && `tel:+1${digits}`
}

export interface Format {
  escape(text: string): string
  link(text: string, uri: string): Value
  /** A value that is only used in code and addresses. */
  verbatim(text: string): Value
}

/** Characters with a meaning in Markdown, or in HTML inside it, some only at the start of a line. */
const special = /[\\`*_[\]<>{}|~&]|^[#+-]|(?<=^\d+)[.)]/g

/** Escapes one line of text, so that every Markdown renderer shows it literally. */
export function escapeMarkdown(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replace(special, '\\$&')
}

export const html: Format = {
  escape: escapeHtml,
  link: (text, uri) => ({ source: `<a href="${escapeHtml(uri)}">${escapeHtml(text)}</a>` }),
  verbatim: (text) => text,
}

export const markdown: Format = {
  escape: escapeMarkdown,
  link: (text, uri) => ({ source: `[${escapeMarkdown(text)}](${uri})` }),
  verbatim: (source) => ({ source }),
}

const same = (text: string) => text

export const plainText: Format = { escape: same, link: same, verbatim: same }

export const json: Format = { ...plainText, escape: (text) => JSON.stringify(text).slice(1, -1) }
