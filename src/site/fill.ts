/** What a placeholder can stand for. Text is escaped; an object's `source` is put in as it is. */
export type Value = string | number | boolean | undefined | { readonly source: string }
export type Values = Readonly<Record<string, Value>>

/**
 * Fills a template (the part of Mustache that the pages need): `{{name}}` is the escaped value, `{{#name}}…{{/name}}`
 * stays where there is a value, `{{^name}}…{{/name}}` where there is none. A tag of a section may have a line of its own.
 * Throws on a name that `values` does not have, so that no page shows a placeholder.
 */
export function fill(template: string, values: Values, escapeText: (text: string) => string): string {
  const find = (name: string): Value => {
    if (!Object.hasOwn(values, name)) throw new Error(`no value for {{${name}}}`)
    return values[name]
  }
  const choose = (text: string): string =>
    text.replace(/\{\{([#^])(\w+)\}\}([\s\S]*?)\{\{\/\2\}\}/g, (_, kind: string, name: string, inner: string) =>
      Boolean(find(name)) === (kind === '#') ? choose(inner) : '',
    )
  return choose(template.replace(/^(\{\{[#^/]\w+\}\})\n/gm, '$1')).replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = find(name)
    if (value === undefined) throw new Error(`{{${name}}} is empty`)
    return typeof value === 'object' ? value.source : escapeText(String(value))
  })
}
