import { type Markdown, plain } from './markdown.ts'
import type { Block, Code, Entry, Page, Section } from './page.ts'

const fences: Readonly<Record<Code['language'], string>> = {
  json: 'json',
  http: 'http',
  shell: 'sh',
  typescript: 'ts',
  python: 'python',
  html: 'html',
  text: '',
}

/** Renders a page as Markdown (CommonMark with tables). Links to paths become absolute. */
export function renderMarkdown(page: Page, baseUrl: string): string {
  const inline = (text: Markdown) => text.source.replaceAll('](/', `](${baseUrl}/`)

  const entry = ({ name, href, tags, body }: Entry) => {
    const label = href ? `[\`${name}\`](${baseUrl}${href})` : `\`${name}\``
    const marks = tags.length > 0 ? ` (${tags.join(', ')})` : ''
    return `- ${label}${marks}: ${body.map(inline).join(' ')}`
  }

  const cell = (text: Markdown) => inline(text).replace(/(?<!\\)\|/g, '\\|')

  function block(item: Block): string {
    switch (item.kind) {
      case 'paragraph':
        return inline(item.text)
      case 'list':
        return item.items.map((text, index) => `${item.ordered ? `${index + 1}.` : '-'} ${inline(text)}`).join('\n')
      case 'table':
        return [
          `| ${item.head.join(' | ')} |`,
          `|${item.head.map(() => ' --- |').join('')}`,
          ...item.rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
        ].join('\n')
      case 'entries':
        return item.items.map(entry).join('\n')
      case 'facts':
        return item.items.map(([name, text]) => `- ${name}: ${inline(text)}`).join('\n')
      case 'note':
        return `> **${item.title}** ${inline(item.text)}`
      case 'quote':
        return `> ${inline(item.text)}`
      case 'cards':
        return item.items.map(({ href, title, text }) => `- [${title}](${baseUrl}${href}): ${inline(text)}`).join('\n')
      case 'code':
        return `${item.label}:\n\n\`\`\`${fences[item.language]}\n${item.source.trimEnd()}\n\`\`\``
      case 'choice':
        return item.items.map(block).join('\n\n')
    }
  }

  const section = (item: Section, level: number): string[] => [
    `${'#'.repeat(level)} ${item.title}`,
    ...item.blocks.map(block),
    ...(item.examples ?? []).map(block),
    ...(item.sections ?? []).flatMap((inner) => section(inner, level + 1)),
  ]

  const parts = [
    `# ${page.title}`,
    plain(page.description).source,
    ...page.intro.map(block),
    ...page.sections.flatMap((item) => section(item, 2)),
  ]
  return `${parts.join('\n\n')}\n`
}
