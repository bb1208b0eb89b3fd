/** A template that a program did not fill in, as in a mapping of an automation. */
export const template =
  /\{\{[\s\S]*\}\}|\$\{[\s\S]*\}|<%[\s\S]*%>|\*\|[\s\S]*\|\*|\[object Object\](?:,\[object Object\])*|undefined/

/** n8n writes `={{…}}`. */
const inAnyField = new RegExp(`^=?(?:${template.source})$`)

/** Text between signs that a short text does not have at both ends, and what API consoles fill in. */
const inShortText = /^(?:%.+%|\{.+\}|<.+>|\[.+\]|string)$/

const shortTexts: ReadonlySet<string> = new Set(['name', 'service', 'helpWith'])

/** Whether a value is nothing but an unfilled template. */
export function isTemplate(field: string, value: string): boolean {
  return inAnyField.test(value) || (shortTexts.has(field) && inShortText.test(value))
}
