/** The value of a placeholder. Text is escaped; an object's `source` is inserted unchanged. */
export type Value = string | number | boolean | undefined | { readonly source: string }
export type Values = Readonly<Record<string, Value>>

/**
 * Fills a template (a subset of Mustache): `{{name}}` is the escaped value; `{{#name}}…{{/name}}` stays if there is a
 * value, `{{^name}}…{{/name}}` if there is none. Section tags may be on their own lines. Throws on an unknown name, so
 * that no page shows a raw placeholder.
 */
export function fillTemplate(template: string, values: Values, escapeText: (text: string) => string): string {
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

/** Fills in `{{placeholders}}`. One without a value stays, for a caller that knows it. */
export function fillWords(text: string, values: Readonly<Record<string, string | number>>): string {
  return Object.keys(values).reduce((filled, name) => filled.replaceAll(`{{${name}}}`, () => `${values[name]}`), text)
}

/** Control characters except line feeds and tabs, and those that change the direction of text: they could mislead. */
const unprintable = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

export const printable = (text: string) => text.replace(unprintable, '\ufffd')

const entities: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }

/** Escapes text for HTML content and for quoted attributes. */
export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => `&${entities[character]};`)
