/**
 * A line of prose in a small part of Markdown: `code`, **strong**, [links](/path) and backslash escapes. Links to paths
 * are below the public origin. What is not authored here gets in through `prose` or `code`, which escape it.
 */
export class Markdown {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

/** What could mean something in Markdown, or in the HTML that Markdown may hold: anywhere, or at the start of a line. */
const special = /[\\`*_[\]<>|~&]|^[#+-]|(?<=^\d+)[.)]/g

/**
 * Prose with values put in for `{{name}}`, each shown as typed: a string's Markdown is escaped. Throws on a name that
 * has no value.
 */
export function prose(source: string, values: Readonly<Record<string, string | number | Markdown>> = {}): Markdown {
  return new Markdown(
    source.replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const value = values[name]
      if (value === undefined) throw new Error(`no value for {{${name}}} in: ${source}`)
      return value instanceof Markdown ? value.source : escapeText(String(value))
    }),
  )
}

/** Text shown as typed. */
export function plain(text: string): Markdown {
  return new Markdown(escapeText(text))
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

function escapeText(text: string): string {
  return text.replace(/\s+/g, ' ').replace(special, '\\$&')
}

/** A piece of a line of prose. */
export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong'; content: Inline[] }
  | { kind: 'link'; target: string; content: Inline[] }

const token = /\\([!-/:-@[-`{-~])|`([^`]+)`|\*\*((?:\\.|[^\\])+?)\*\*|\[((?:\\.|[^\\\]])+)\]\(([^)\s]+)\)/g

/** Reads a line of prose into its pieces. */
export function parseInline(source: string): Inline[] {
  const pieces: Inline[] = []
  let end = 0
  const text = (value: string) => {
    const before = pieces.at(-1)
    if (before?.kind === 'text') before.text += value
    else if (value) pieces.push({ kind: 'text', text: value })
  }
  for (const match of source.matchAll(token)) {
    const [whole, escaped, codeText, strong, label, target] = match
    text(source.slice(end, match.index))
    end = match.index + whole.length
    if (escaped) text(escaped)
    else if (codeText) pieces.push({ kind: 'code', text: codeText })
    else if (strong) pieces.push({ kind: 'strong', content: parseInline(strong) })
    else if (label && target) pieces.push({ kind: 'link', target, content: parseInline(label) })
  }
  text(source.slice(end))
  return pieces
}
