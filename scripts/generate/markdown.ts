/** A table. Escapes `|` in cells. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replace(/(?<!\\)\|/g, '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** A block of source code with its language and label. */
export function fence(language: string, label: string, source: string): string {
  return `\`\`\`${language} ${label}\n${source.trimEnd()}\n\`\`\``
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
export function entries(items: readonly Entry[]): string {
  return items
    .map(({ id, name, tags, text }) => {
      const marks = tags.length > 0 ? ` (${tags.join(', ')})` : ''
      return `- \`${name}\`${marks}: ${text} {#${id}}`
    })
    .join('\n')
}

/** Puts values into a text whose other placeholders stay for the deployment to fill. */
export function bake(template: string, values: Readonly<Record<string, string>>): string {
  const filled = template.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole)
  return filled.replace(/\n{3,}/g, '\n\n')
}
