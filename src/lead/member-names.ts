import { editDistance } from '../edit-distance.ts'
import { kindField, leadRules } from './rules.ts'
import type { LeadKind } from './submission.ts'

/** Names that callers are known to use for a field, without case, underscores and dashes. */
const shared = {
  name: ['fullname', 'customername', 'contactname', 'clientname', 'yourname'],
  phone: [
    'phonenumber',
    'phoneno',
    'telephone',
    'telephonenumber',
    'tel',
    'mobile',
    'mobilephone',
    'mobilenumber',
    'cell',
    'cellphone',
    'cellnumber',
    'contactphone',
    'contactnumber',
    'customerphone',
  ],
  email: ['emailaddress', 'mail', 'mailaddress', 'contactemail', 'customeremail'],
}
const counts = (one: string, short: string) => [
  one,
  short,
  `${short}s`,
  `${one}count`,
  `${one}scount`,
  `${short}count`,
  `${short}scount`,
  `num${one}s`,
  `num${short}s`,
  `no${one}s`,
  `numof${one}s`,
  `numberof${one}s`,
  `numberof${short}s`,
  `${one}number`,
]
const aliases: Readonly<Record<LeadKind, Readonly<Record<string, readonly string[]>>>> = {
  quote: {
    ...shared,
    bedrooms: counts('bedroom', 'bed'),
    bathrooms: counts('bathroom', 'bath'),
    service: ['servicetype', 'servicename', 'serviceneeded', 'servicerequested', 'cleaningtype', 'typeofcleaning'],
    notes: [
      'note',
      'comment',
      'comments',
      'details',
      'description',
      'instructions',
      'specialinstructions',
      'additionalnotes',
      'additionaldetails',
      'additionalinfo',
      'message',
    ],
    communicationsConsent: [
      'consent',
      'contactconsent',
      'consenttocontact',
      'consentgiven',
      'hasconsent',
      'customerconsent',
      'marketingconsent',
      'smsconsent',
      'tcpaconsent',
      'optin',
      'agree',
      'agreed',
      'agreetocontact',
    ],
    consentTimestamp: ['consenttime', 'consentdate', 'consentat', 'consentedat', 'consentgivenat', 'timestamp'],
    pageUrl: ['url', 'page', 'pagelink', 'pageaddress', 'sourceurl', 'sourcepage', 'landingpage'],
  },
  support: {
    ...shared,
    helpWith: ['help', 'topic', 'subject', 'reason', 'helptopic', 'regarding'],
    message: [
      'body',
      'text',
      'content',
      'comment',
      'comments',
      'note',
      'notes',
      'question',
      'details',
      'description',
      'messagebody',
      'messagetext',
    ],
  },
}

/** Longer names are not compared: no field's name is half as long. */
const nameMaxLength = 40

/** How many members are looked at: as many as a problem lists. Keeps the cost of a hostile body small. */
const membersMax = 50

/** Another spelling of a field has the same key: `full_name`, `Full-Name` and `fullName` are one. */
function keyOf(name: string): string {
  return name.length > nameMaxLength ? '' : name.toLowerCase().replace(/[_\s.-]/g, '')
}

/** The fields of each kind, and every key that stands for one of them for certain. */
const namesOf = { quote: collectNames('quote'), support: collectNames('support') } as const

function collectNames(kind: LeadKind) {
  const fields = [kindField, ...leadRules[kind].map(({ name }) => name)]
  const known = new Map(Object.entries(aliases[kind]).flatMap(([field, keys]) => keys.map((key) => [key, field])))
  for (const field of fields) known.set(keyOf(field), field)
  return { fields, known }
}

/**
 * Finds the fields that unknown members were probably meant to be, by the members' names. `isSent` says which fields the
 * caller sent. No field is suggested twice, as two members cannot be renamed to one.
 */
export function suggestFields(
  kind: LeadKind,
  unknown: readonly string[],
  isSent: (field: string) => boolean,
): Map<string, string> {
  const { fields, known } = namesOf[kind]
  const members = unknown.slice(0, membersMax).map((member) => ({ member, key: keyOf(member) }))
  const suggestions = new Map<string, string>()
  const taken = new Set<string>()
  const suggest = (member: string, field: string | undefined) => {
    if (field === undefined || suggestions.has(member) || taken.has(field) || isSent(field)) return
    suggestions.set(member, field)
    taken.add(field)
  }
  // A name that is known is surer than one that is near, so it comes first.
  for (const { member, key } of members) suggest(member, known.get(key))
  for (const { member, key } of members) suggest(member, nearestField(key, fields))
  return suggestions
}

/** The one field whose name is one edit away, or two from eight letters on; undefined if there is none or another. */
function nearestField(key: string, fields: readonly string[]): string | undefined {
  if (key === '') return undefined
  const edits = key.length < 8 ? 1 : 2
  const near = fields.filter((field) => {
    const other = keyOf(field)
    return Math.abs(other.length - key.length) <= edits && editDistance(key, other) <= edits
  })
  return near.length === 1 ? near[0] : undefined
}

/** What a message is written in by callers who have not read that it needs `formType`. */
const messageKeys = new Set(['helpwith', 'message', 'subject', 'body', 'type'])
const roomFields = ['bedrooms', 'bathrooms']

/** Whether a body without `formType` is a message by its members: it has what messages have, and no rooms. */
export function looksLikeMessage(members: readonly string[]): boolean {
  const keys = members.slice(0, membersMax).map(keyOf)
  const isRoom = (key: string) => roomFields.some((field) => key === field || aliases.quote[field]?.includes(key))
  return keys.some((key) => messageKeys.has(key)) && !keys.some(isRoom)
}
