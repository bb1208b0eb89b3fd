import { consentField, kindField, leadRules } from '../rules.ts'
import type { Candidate, LeadKind } from '../submission.ts'
import { isOneEdit } from './edit-distance.ts'

const words = (text: string) => text.split(' ')
const counts = (one: string, short: string) =>
  words(`${one} ${one}count ${short} ${short}s num${one}s num${short}s numberof${one}s numberof${short}s`)

/** Plain names (`plainName`) that callers often use for a field. */
const shared = {
  name: words('fullname customername contactname clientname yourname'),
  phone: words(
    'phonenumber telephone telephonenumber tel mobile mobilephone cell cellphone contactphone contactnumber',
  ),
  email: words('emailaddress mail mailaddress contactemail customeremail'),
}
const aliases: Readonly<Record<LeadKind, Readonly<Record<string, readonly string[]>>>> = {
  quote: {
    ...shared,
    bedrooms: counts('bedroom', 'bed'),
    bathrooms: counts('bathroom', 'bath'),
    service: words('servicetype servicename cleaningtype typeofcleaning'),
    notes: words('note comment comments details description instructions message'),
    communicationsConsent: words(
      'consent contactconsent consenttocontact marketingconsent smsconsent tcpaconsent optin agree',
    ),
    consentTimestamp: words('consenttime consentdate consentat timestamp'),
    pageUrl: words('url page sourceurl landingpage'),
  },
  support: {
    ...shared,
    helpWith: words('help topic subject reason'),
    message: words('body text content comment comments notes question details description complaint'),
  },
}
const nameParts: ReadonlySet<string> = new Set(
  words('firstname lastname middlename fname lname first last givenname familyname forename surname'),
)

/** Longer names are not compared. No field's name is half as long. */
const nameMaxLength = 40

/** How many members are examined: as many as a problem can list. Bounds the cost of a hostile body. */
export const membersMax = 50

/** Makes the spellings of a name equal: `full_name`, `Full-Name`, `fullName`. Empty for a name that is too long. */
export function plainName(name: string): string {
  return name.length > nameMaxLength ? '' : name.toLowerCase().replace(/[\s_-]/g, '')
}

/** The fields of each kind, and all plain names that certainly mean one of them. */
export const namesOf = { quote: collectNames('quote'), support: collectNames('support') }

function collectNames(kind: LeadKind) {
  const fields = [kindField, ...leadRules[kind].map(({ name }) => name)]
  const known = new Map(Object.entries(aliases[kind]).flatMap(([field, names]) => names.map((plain) => [plain, field])))
  for (const field of fields) known.set(plainName(field), field)
  return { fields, known }
}

/**
 * Guesses which fields unknown members were meant to be, by their names. `isSent` tells which fields the caller sent.
 * Suggests no field twice, because two members cannot have the same name. Expects at most `membersMax` of them.
 */
export function suggestFields(
  kind: LeadKind,
  unknown: readonly string[],
  isSent: (field: string) => boolean,
): Map<string, string> {
  const { fields, known } = namesOf[kind]
  const suggestions = new Map<string, string>()
  const suggested = new Set<string>()
  const suggest = (member: string, field: string | undefined) => {
    if (field === undefined || suggestions.has(member) || suggested.has(field) || isSent(field)) return
    suggestions.set(member, field)
    suggested.add(field)
  }
  // Known names are more certain than similar ones, so they come first.
  for (const member of unknown) suggest(member, known.get(plainName(member)))
  for (const member of unknown) if (!isNamePart(member)) suggest(member, nearestField(plainName(member), fields))
  return suggestions
}

/** The only field whose name is one edit away. Undefined: there is none, or several. */
function nearestField(plain: string, fields: readonly string[]): string | undefined {
  const near = fields.filter((field) => isOneEdit(plain, plainName(field)))
  return near.length === 1 ? near[0] : undefined
}

/** Whether a member is a part of a customer's name, such as `firstName`. */
export function isNamePart(member: string): boolean {
  return nameParts.has(plainName(member))
}

/** Whether a member is about consent, under any name. */
export function isConsent(member: string): boolean {
  return namesOf.quote.known.get(plainName(member)) === consentField
}

/** Whether a name means a field of either kind, or a part of one. */
export function isKnownName(member: string): boolean {
  const plain = plainName(member)
  return namesOf.quote.known.has(plain) || namesOf.support.known.has(plain) || nameParts.has(plain)
}

/** Plain names that suggest a message whose sender did not know about `formType`. */
const messageNames = new Set(words('helpwith message subject body type complaint callback'))

/** Whether a body has rooms, under any name. */
export function hasRooms(candidate: Candidate): boolean {
  return hasField(candidate, ['bedrooms', 'bathrooms'])
}

/** Whether a body without a valid `formType` looks like a message: it has members of messages, no service and no rooms. */
export function looksLikeMessage(candidate: Candidate): boolean {
  const isMessage = plainNames(candidate).some((plain) => messageNames.has(plain))
  return isMessage && !hasField(candidate, ['service', 'bedrooms', 'bathrooms'])
}

/** Whether a body has one of these fields of a quote request, under any name. */
function hasField(candidate: Candidate, fields: readonly string[]): boolean {
  return plainNames(candidate).some((plain) => fields.includes(namesOf.quote.known.get(plain) ?? ''))
}

function plainNames(candidate: Candidate): string[] {
  return Object.keys(candidate).slice(0, membersMax).map(plainName)
}
