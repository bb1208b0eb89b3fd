/** A template that a program did not fill in, as in a mapping of an automation. */
const unfilledTemplate =
  /\{\{[\s\S]*\}\}|\$\{[\s\S]*\}|<%[\s\S]*%>|\*\|[\s\S]*\|\*|@\{[\s\S]*\}|\[object Object\](?:,\[object Object\])*|undefined/

/** n8n writes `={{…}}`, with an equals sign, or `$json.name`; a spreadsheet writes an error in place of a value. */
const inAnyField = new RegExp(
  String.raw`^=?(?:${unfilledTemplate.source}|\$json\b[\w.[\]"']*|#(?:REF!|VALUE!|NAME\?|ERROR!|N/A))$`,
)

/** Text in signs that mark a template, which real names and topics do not have, and what API consoles fill in. */
const inShortText =
  /^(?:%.+%|[#!]?\{.+\}|\$[a-z]\w*|<.+>|\[.+\]|__\w+__|string|-* ?(?:please )?(?:choose|select)(?: an? option| one)?[ .\u2026]*-*)$/i

/** The name of a field in place of its value, and what our samples have where no text of a customer passes. */
const yourField =
  /^(?:your (?:full )?(?:name|service|notes?|topic|message)|your customer's (?:phone|e-mail)|how many, such as .*)$/i

/** A template with text around it, which no name or address has: `{{first}}@…`. */
const partlyFilled = /\{\{[^{}]+\}\}/

/** What people and programs write for a service that nobody named. */
const noService = /^(?:[-\u2013\u2014._?/]{1,2}|n\/?a|none|null)$/i

/** What programs write for a name that nobody gave. Nobody has such a name. */
const nobody =
  /^(?:(?:(?:first|last|full|customer|client|contact|no)[ _-]?)?name|first[ _-]?(?:name)?[ ,_-]+last[ _-]?(?:name)?|(?:unknown[ _-]?)?(?:customer|unknown))$/i

/**
 * What forms, spreadsheets and programs have for a name that nobody gave: signs alone, `N/A`, or a program's word for
 * nothing. People are called Null and None, so `null` counts only alone, repeated or with a part in upper case.
 */
const noName =
  /^(?:[\p{P}\p{Z}\p{Sm}\p{Sc}\p{Sk}]+|#?[Nn]\/[Aa]|null|NaN|(?:(?:null|None|NaN|nan|nil)(?: +|$)){2,}|null \p{Lu}.*|\p{Lu}.* null)$|(?<!\S)undefined(?!\S)|\[object Object\]/u

export function isPlaceholder(field: string, value: string): boolean {
  if (inAnyField.test(value) || (field === 'service' && noService.test(value))) return true
  if (field === 'name' && (noName.test(value) || nobody.test(value))) return true
  // People do ask about "Your service", and mark a topic as "[Urgent]".
  if (field === 'helpWith' && /^(?:\[|your (?:service|message))/i.test(value)) return false
  if (yourField.test(value)) return true
  if (['name', 'email'].includes(field) && partlyFilled.test(value)) return true
  return ['name', 'service', 'helpWith'].includes(field) && inShortText.test(value)
}
