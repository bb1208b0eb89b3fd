import { fill, type Values } from './fill.ts'

/** A piece of Markdown that needs no escaping. */
export class Markdown {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

/** Characters with a meaning in Markdown, or in HTML inside it: anywhere, or at the start of a line. */
const special = /[\\`*_[\]<>{}|~&]|^[#+-]|(?<=^\d+)[.)]/g

/** Escapes one line of text, so that every Markdown renderer shows it literally. */
export function escapeMarkdown(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replace(special, '\\$&')
}

/** Markdown text with values for `{{name}}`, which are escaped. Throws on a name without a value. */
export function prose(source: string, values: Values = {}): Markdown {
  return new Markdown(fill(source, values, escapeMarkdown))
}

/** Text to be shown literally. */
export function plain(text: string): Markdown {
  return new Markdown(escapeMarkdown(text))
}

/** Text in code style. Throws if it contains a backtick; none of our values do. */
export function code(text: string): Markdown {
  if (text.includes('`')) throw new Error('a backtick in code')
  return new Markdown(`\`${text}\``)
}

/** A list in a sentence: `a`, `b` and `c`. */
export function codes(texts: readonly string[], last = 'and'): Markdown {
  const all = texts.map((text) => code(text).source)
  return new Markdown(all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} ${last} ${all.at(-1)}`)
}

/** A table. Escapes `|` in cells. */
export function table(head: readonly string[], rows: readonly (readonly Markdown[])[]): Markdown {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replace(/(?<!\\)\|/g, '\\|')).join(' | ')} |`
  const lines = [line(head), line(head.map(() => '---')), ...rows.map((row) => line(row.map(({ source }) => source)))]
  return new Markdown(lines.join('\n'))
}

/** A block of source code with its language and label. */
export function fence(language: string, label: string, source: string): Markdown {
  return new Markdown(`\`\`\`${language} ${label}\n${source.trimEnd()}\n\`\`\``)
}

/** Joins blocks, one below the other. */
export function blocks(...parts: readonly Markdown[]): Markdown {
  return new Markdown(parts.map(({ source }) => source).join('\n\n'))
}

/** A described item with its own anchor: a field, a header or a member. */
export interface Entry {
  id: string
  name: string
  /** Short labels next to the name, such as `required`. */
  tags: readonly string[]
  text: string
}

/** A list of entries, in the format that the renderer recognizes. Texts may contain `code` and [links](/path). */
export function entries(items: readonly Entry[]): Markdown {
  const lines = items.map(({ id, name, tags, text }) => {
    const marks = tags.length > 0 ? ` (${tags.join(', ')})` : ''
    return `- \`${name}\`${marks}: ${text} {#${id}}`
  })
  return new Markdown(lines.join('\n'))
}

/** An e-mail address as a URI (RFC 6068 §2). */
export function mailto(address: string): string {
  const escapes: Record<string, string> = { '%40': '@', '(': '%28', ')': '%29' }
  return `mailto:${encodeURIComponent(address).replace(/%40|[()]/g, (text) => escapes[text] as string)}`
}

/** A link to an e-mail address. */
export function mailLink(address: string): Markdown {
  return new Markdown(`[${escapeMarkdown(address)}](${mailto(address)})`)
}

/** A U.S. phone number as a URI (RFC 3966). Undefined: not a phone number. */
export function telUri(phone: string): string | undefined {
  const digits = /^(?:\+?1)?(\d{10})$/.exec(phone.replace(/[\s().-]/g, ''))?.[1]
  return digits && `tel:+1${digits}`
}

/** A phone number as a link, if it is valid. */
export function phoneLink(phone: string): Markdown {
  const uri = telUri(phone)
  return uri ? new Markdown(`[${escapeMarkdown(phone)}](${uri})`) : plain(phone)
}
