import { fill, type Values } from './fill.ts'

/** Markdown that is safe to put into Markdown. */
export class Markdown {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

/** What could mean something in Markdown, or in the HTML that Markdown may hold: anywhere, or at the start of a line. */
const special = /[\\`*_[\]<>{}|~&]|^[#+-]|(?<=^\d+)[.)]/g

/** One line of text, escaped so that every reader of Markdown shows it as typed. */
export function escapeMarkdown(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replace(special, '\\$&')
}

/** Prose with values put in for `{{name}}`, each shown as typed. Throws on a name that has no value. */
export function prose(source: string, values: Values = {}): Markdown {
  return new Markdown(fill(source, values, escapeMarkdown))
}

/** Text to be shown as typed. */
export function plain(text: string): Markdown {
  return new Markdown(escapeMarkdown(text))
}

/** Text shown as code. Throws when it has a backtick, which no value of ours has. */
export function code(text: string): Markdown {
  if (text.includes('`')) throw new Error('a backtick in code')
  return new Markdown(`\`${text}\``)
}

/** A list in a sentence: `a`, `b` and `c`. */
export function codes(texts: readonly string[], last = 'and'): Markdown {
  const all = texts.map((text) => code(text).source)
  return new Markdown(all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} ${last} ${all.at(-1)}`)
}

/** A table. A `|` inside of a cell is escaped. */
export function table(head: readonly string[], rows: readonly (readonly Markdown[])[]): Markdown {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replace(/(?<!\\)\|/g, '\\|')).join(' | ')} |`
  const lines = [line(head), line(head.map(() => '---')), ...rows.map((row) => line(row.map(({ source }) => source)))]
  return new Markdown(lines.join('\n'))
}

/** A source text to copy: its language, what it is, and the text. */
export function fence(language: string, label: string, source: string): Markdown {
  return new Markdown(`\`\`\`${language} ${label}\n${source.trimEnd()}\n\`\`\``)
}

/** Blocks below each other. */
export function blocks(...parts: readonly Markdown[]): Markdown {
  return new Markdown(parts.map(({ source }) => source).join('\n\n'))
}

/** A described thing with an anchor of its own: a field, a header, a member. */
export interface Entry {
  id: string
  name: string
  /** Short marks beside the name, such as `required`. */
  tags: readonly string[]
  text: string
}

/** A list of entries; the renderer recognizes the form. Each text may have `code` and [links](/path) in it. */
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

/** An e-mail address that leads to itself. */
export function mailLink(address: string): Markdown {
  return new Markdown(`[${escapeMarkdown(address)}](${mailto(address)})`)
}

/** A U.S. phone number as a URI (RFC 3966); undefined for a text that is none. */
export function telUri(phone: string): string | undefined {
  const digits = /^(?:\+?1)?(\d{10})$/.exec(phone.replace(/[\s().-]/g, ''))?.[1]
  return digits && `tel:+1${digits}`
}

/** A phone number that can be called from the page, where it is one. */
export function phoneLink(phone: string): Markdown {
  const uri = telUri(phone)
  return uri ? new Markdown(`[${escapeMarkdown(phone)}](${uri})`) : plain(phone)
}
