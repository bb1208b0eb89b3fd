import { consentField, kindField, leadRules } from '../rules.ts'
import type { Candidate, LeadKind } from '../submission.ts'

const words = (text: string) => text.split(' ')
const counts = (one: string, short: string) =>
  words(`${one} ${one}count ${short} ${short}s`).concat(
    words('num numberof noof of howmany').flatMap((before) => [`${before}${one}s`, `${before}${short}s`]),
  )

/** Plain names (`plainName`) that callers often use for a field. */
const shared = {
  name: words('fullname customername contactname clientname'),
  phone: words(
    'phonenumber phonemobile phonecell telephone telephonenumber tel mobile mobilephone mobilenumber cell cellphone contactphone contactnumber',
  ),
  email: words('emailaddress mail mailaddress contactemail customeremail'),
}
const otherNames: Readonly<Record<LeadKind, Readonly<Record<string, readonly string[]>>>> = {
  quote: {
    ...shared,
    bedrooms: counts('bedroom', 'bed'),
    bathrooms: counts('bathroom', 'bath'),
    service: words('servicetype servicename cleaningtype typeofcleaning'),
    notes: words('note comment comments details description instructions message'),
    communicationsConsent: words(
      'consent consentconsent contactconsent consenttocontact marketingconsent smsconsent smsoptin textoptin emailoptin tcpaconsent gdpr gdprconsent optin agree acceptance consentgiven terms termsaccepted',
    ),
    consentTimestamp: words('consenttime consentdate consentat'),
    pageUrl: words('url page sourceurl landingpage'),
  },
  support: {
    ...shared,
    helpWith: words('help topic subject reason'),
    message: words('body text content comment comments notes question details description complaint'),
  },
}
const nameParts: ReadonlySet<string> = new Set(
  words(
    'firstname lastname middlename namefirst namelast fname lname first last givenname familyname forename surname',
  ),
)

/** How many members are examined, to bound the cost of a hostile body: as many as a problem can list. */
export const membersMax = 50

/** A label such as "I agree to be contacted" is about consent, whatever follows its first words. */
const agreement = /^(?:i(?:agree|consent)|agree(?:to|that)).*/

/** The plain form of a name, the same for `full_name` and `your-Full Name`: letters and digits, at most 40. */
export function plainName(name: string): string {
  // A form's `fields[phone]` and `q5_phone`, and a flattened `data__phone`, are the phone.
  const plain = (/\[([^[\]]*\p{L}[^[\]]*)\](?:\[\])?$/u.exec(name.slice(0, 80))?.[1] ?? name)
    .slice(0, 40)
    .replace(/^(?:\w+(?:__|\.)|q\d+_)(?=[a-z])/i, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]|^your(?=.)/gu, '')
  return plain.replace(agreement, 'agree')
}

/** The fields of each kind, and the plain names that are known to mean one of them. */
export const lexicon = { quote: collectNames('quote'), support: collectNames('support') }

/** The fields of both kinds. */
export const allFields: ReadonlySet<string> = new Set(Object.values(lexicon).flatMap(({ fields }) => fields))

function collectNames(kind: LeadKind) {
  const fields = [kindField, ...leadRules[kind].map(({ name }) => name)]
  const knownNames = new Map<string, string>()
  for (const [field, names] of Object.entries(otherNames[kind])) for (const name of names) knownNames.set(name, field)
  const announced = leadRules[kind].filter((rule) => rule.announced).map(({ name }) => name)
  for (const field of [kindField, ...announced]) knownNames.set(plainName(field), field)
  return { fields, knownNames }
}

/** Guesses which fields unknown members were meant to be: no field that `lead` has, and none twice. */
export function suggestFields(kind: LeadKind, unknown: readonly string[], lead: Candidate): Map<string, string> {
  const { knownNames } = lexicon[kind]
  const fields = [...new Set(knownNames.values())]
  const missing = new Set(fields.filter((field) => !Object.hasOwn(lead, field)))
  const suggestions = new Map<string, string>()
  const suggest = (member: string, field = '') => {
    if (!suggestions.has(member) && missing.delete(field)) suggestions.set(member, field)
  }
  // A known name is more certain than a similar one.
  for (const member of unknown) suggest(member, knownNames.get(plainName(member)))
  for (const member of unknown) {
    const near = fields.filter((field) => isOneEdit(plainName(member), plainName(field)))
    if (near.length === 1 && !isNamePart(member)) suggest(member, near[0])
  }
  return suggestions
}

/** Whether one insertion, deletion, replacement or swap of neighboring letters turns one text into the other. */
export function isOneEdit(from: string, to: string): boolean {
  let start = 0
  while (start < from.length && from[start] === to[start]) start++
  const [left, right] = [from.slice(start), to.slice(start)]
  const isSwap = left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2)
  const isReplaced = left.slice(1) === right.slice(1)
  return left !== right && (isReplaced || left.slice(1) === right || left === right.slice(1) || isSwap)
}

export const isNamePart = (member: string) => nameParts.has(plainName(member))

/** A value in a pattern's place. `String` throws for an object with a member `toString`. */
export const textOf = (value: unknown) => (typeof value === 'object' ? '' : String(value))

/** Names of members that say no, whatever their value. */
const declines =
  /^(?:donot|dont|no|stop)(?:call|contact|text|sms|email)|opt(?:ed)?out|^dnc$|unsubscribe|emailonly|onlyemail/

/** Whether a member may say that the customer does not want calls, texts or e-mail. */
export const mayDecline = (member: string, value: unknown) =>
  (isConsent(member) && !/^(?:true|1|on|yes|accepted)$/i.test(textOf(value))) || declines.test(plainName(member))

export const isConsent = (member: string) => lexicon.quote.knownNames.get(plainName(member)) === consentField

/** Whether a name means a field of either kind, or a part of one. */
export function isKnownName(member: string): boolean {
  return [lexicon.quote.knownNames, lexicon.support.knownNames, nameParts].some((names) => names.has(plainName(member)))
}

/** Plain names that suggest a message whose sender did not know about `formType`. */
const messageNames = words('helpwith topic message question subject body type complaint callback')

export const hasRooms = (candidate: Candidate) => hasField(candidate, ['bedrooms', 'bathrooms'])

/** Whether a body without a valid `formType` looks like a message: with its members, no service and no rooms. */
export function looksLikeMessage(candidate: Candidate): boolean {
  if (hasField(candidate, ['service', 'bedrooms', 'bathrooms'])) return false
  return plainNames(candidate).some((plain) => messageNames.includes(plain))
}

/** Whether a body has one of these fields of a quote request, under any name. Nearly every lead has them by their own. */
const hasField = (candidate: Candidate, fields: readonly string[]) =>
  fields.some((field) => Object.hasOwn(candidate, field)) ||
  plainNames(candidate).some((plain) => fields.includes(lexicon.quote.knownNames.get(plain) ?? ''))

function plainNames(candidate: Candidate): string[] {
  return Object.keys(candidate).slice(0, membersMax).map(plainName)
}
