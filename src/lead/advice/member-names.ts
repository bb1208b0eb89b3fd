import { consentField, kindField, leadRules } from '../rules.ts'
import type { Candidate, LeadKind } from '../submission.ts'
import { editDistance } from './edit-distance.ts'

const words = (text: string) => text.split(' ')
const counts = (one: string, short: string) =>
  [one, short, `${short}s`, `${one}count`, `${one}scount`, `${short}count`, `${short}scount`, `${one}number`].concat(
    words('num no numof numberof').flatMap((prefix) => [`${prefix}${one}s`, `${prefix}${short}s`]),
  )

/** Plain names (`plainName`) that callers often use for a field, in English, French and Spanish. */
const shared = {
  name: words('fullname customername contactname clientname yourname nom nomcomplet nombre nombrecompleto vollername'),
  phone: words(
    'phonenumber phoneno telephone telephonenumber tel mobile mobilephone mobilenumber cell cellphone cellnumber contactphone contactnumber customerphone portable numerodetelephone telefono numerodetelefono movil celular telefon telefonnummer handy',
  ),
  email: words(
    'emailaddress mail mailaddress contactemail customeremail courriel adressemail adresseemail correo correoelectronico',
  ),
}
const aliases: Readonly<Record<LeadKind, Readonly<Record<string, readonly string[]>>>> = {
  quote: {
    ...shared,
    bedrooms: counts('bedroom', 'bed').concat(
      words('chambres nombredechambres habitaciones dormitorios recamaras schlafzimmer'),
    ),
    bathrooms: counts('bathroom', 'bath').concat(
      words('sallesdebain sallesdebains salledebain banos badezimmer bad baeder'),
    ),
    service: words(
      'servicetype servicename serviceneeded servicerequested cleaningtype typeofcleaning prestation servicio dienstleistung leistung',
    ),
    notes: words(
      'note comment comments details description instructions specialinstructions additionalnotes additionaldetails additionalinfo message remarques commentaires notas comentarios anmerkungen bemerkung bemerkungen',
    ),
    communicationsConsent: words(
      'consent contactconsent consenttocontact consentgiven hasconsent customerconsent marketingconsent smsconsent tcpaconsent optin agree agreed agreetocontact consentement consentimiento einwilligung zustimmung',
    ),
    consentTimestamp: words('consenttime consentdate consentat consentedat consentgivenat timestamp'),
    pageUrl: words('url page pagelink pageaddress sourceurl sourcepage landingpage'),
  },
  support: {
    ...shared,
    helpWith: words('help topic subject reason helptopic regarding sujet asunto'),
    message: words(
      'body text content comment comments note notes question details description messagebody messagetext complaint remarques commentaires mensaje nachricht',
    ),
  },
}

/** Longer names are not compared. No field's name is half as long. */
const nameMaxLength = 40

/** How many members are examined: as many as a problem can list. Bounds the cost of a hostile body. */
export const membersMax = 50

/** Makes the spellings of a name equal: `full_name`, `Full-Name`, `fullName`, `fúllName`. Empty for a name that is too long. */
function plainName(name: string): string {
  return name.length > nameMaxLength
    ? ''
    : name
        .normalize('NFD')
        .toLowerCase()
        .replace(/[_\s.\p{M}-]/gu, '')
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
  const members = unknown
    .map((member) => ({ member, plain: plainName(member) }))
    .filter(({ plain }) => !nameParts.has(plain))
  const suggestions = new Map<string, string>()
  const suggested = new Set<string>()
  const suggest = (member: string, field: string | undefined) => {
    if (field === undefined || suggestions.has(member) || suggested.has(field) || isSent(field)) return
    suggestions.set(member, field)
    suggested.add(field)
  }
  // Known names are more certain than similar ones, so they come first.
  for (const { member, plain } of members) suggest(member, known.get(plain))
  for (const { member, plain } of members) suggest(member, nearestField(plain, fields))
  return suggestions
}

/** The only field whose name is within one edit, or two from eight letters on. Undefined: there is none, or several. */
function nearestField(plain: string, fields: readonly string[]): string | undefined {
  if (plain === '') return undefined
  const edits = plain.length < 8 ? 1 : 2
  const near = fields.filter((field) => {
    const other = plainName(field)
    return Math.abs(other.length - plain.length) <= edits && editDistance(plain, other) <= edits
  })
  return near.length === 1 ? near[0] : undefined
}

const nameParts: ReadonlySet<string> = new Set(
  words(
    'firstname lastname middlename fname lname first last givenname familyname forename surname prenom apellido apellidos vorname nachname',
  ),
)

/** Whether a member is a part of a customer's name, such as `firstName`. */
export function isNamePart(member: string): boolean {
  return nameParts.has(plainName(member))
}

/** Whether a member is about consent, under any name. */
export function isConsent(member: string): boolean {
  return namesOf.quote.known.get(plainName(member)) === consentField
}

/** The members that are no field but hold fields, such as `lead` or `customer`. */
export function findWrappers(candidate: Candidate): string[] {
  const isField = (member: string) => Object.values(namesOf).some(({ fields }) => fields.includes(member))
  return Object.keys(candidate)
    .slice(0, membersMax)
    .filter((member) => isWrapper(candidate[member]) && !isField(member) && !isConsent(member))
}

/** JSON:API has fields in `data.attributes`. No known format has them deeper. */
export const wrapperDepthMax = 2

function isWrapper(value: unknown, depth = 1): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const members = Object.entries(value).slice(0, membersMax)
  if (depth < wrapperDepthMax && members.some(([, inner]) => isWrapper(inner, depth + 1))) return true
  const names = members.map(([member]) => plainName(member))
  return names.some(
    (plain) => namesOf.quote.known.has(plain) || namesOf.support.known.has(plain) || nameParts.has(plain),
  )
}

/** Plain names that suggest a message whose sender did not know about `formType`. */
const messageNames = new Set(words('helpwith message subject body type complaint callback'))
const roomFields = ['bedrooms', 'bathrooms']

/** Whether a body has rooms, under any name. */
export function hasRooms(candidate: Candidate): boolean {
  const isRoom = (plain: string) => roomFields.some((field) => plain === field || aliases.quote[field]?.includes(plain))
  return plainNames(candidate).some(isRoom)
}

/** Whether a body without a valid `formType` looks like a message: it has members of messages, no service and no rooms. */
export function looksLikeMessage(candidate: Candidate): boolean {
  // Most bodies are quote requests with the right names.
  if (roomFields.some((field) => Object.hasOwn(candidate, field))) return false
  const isService = (plain: string) => namesOf.quote.known.get(plain) === 'service'
  const names = plainNames(candidate)
  return names.some((plain) => messageNames.has(plain)) && !names.some(isService) && !hasRooms(candidate)
}

function plainNames(candidate: Candidate): string[] {
  return Object.keys(candidate).slice(0, membersMax).map(plainName)
}
