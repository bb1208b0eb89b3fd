import { fill, type Values } from '../../src/site/fill.ts'
import { escapeMarkdown } from '../../src/site/formats.ts'

/** A piece of Markdown that needs no escaping. */
export class Markdown {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
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

/** Puts values into a text whose other placeholders stay for the deployment to fill. */
export function bake(template: string, values: Readonly<Record<string, Markdown>>): string {
  const filled = template.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name]?.source ?? whole)
  return filled.replace(/\n{3,}/g, '\n\n')
}
