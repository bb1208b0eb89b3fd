import { Marked, type Token, type Tokens } from 'marked'
import { escapeHtml } from '../../src/safe-text.ts'

// Our extensions to GitHub's Markdown. All of them are readable as plain Markdown:
// - `{#id}` or `{#id .class}` at the end of a heading or list item sets its anchor.
// - In each section, code is placed beside the text. Of samples in several languages, one is open.
// - A list whose items all start with a name in code is a list of definitions (fields, headers).
// - A table without a second heading is a list of facts, labeled by its first heading.
// - A quotation that starts with bold text is a note.
// - Section tags such as `{{#name}}` stay where they are, around paragraphs, list items and samples.

interface Mark extends Tokens.Generic {
  type: 'mark'
  id: string
  classes: string
}

/** A line with nothing but a section tag. */
const sectionTag = /^\{\{[#^/]\w+\}\}(?:\n+|$)/

const marked = new Marked({
  extensions: [
    {
      name: 'mark',
      level: 'inline',
      start: (source) => source.search(/\s\{#/),
      tokenizer(source): Mark | undefined {
        const match = /^\s*\{#([\w-]+)((?: \.[\w-]+)*)\}$/.exec(source)
        return match
          ? { type: 'mark', raw: match[0], id: match[1] as string, classes: (match[2] ?? '').replaceAll('.', '') }
          : undefined
      },
      renderer: () => '',
    },
    {
      name: 'section',
      level: 'block',
      start: (source) => source.search(/^\{\{[#^/]\w+\}\}$/m),
      tokenizer(source) {
        const match = sectionTag.exec(source)
        return match ? { type: 'section', raw: match[0], tag: match[0].trim() } : undefined
      },
      renderer: ({ tag }) => `${tag}\n`,
    },
  ],
  // Only explicit links become links.
  tokenizer: { url: () => undefined },
  renderer: {
    html: ({ text }) => escapeHtml(text),
    table: renderTable,
    list: (token) => token.items.every(isEntry) && renderEntries(token),
    listitem: ({ text }) => (sectionTag.test(text) ? `${text}\n` : false),
    blockquote({ tokens }) {
      const [first] = tokens
      const isNote = first?.type === 'paragraph' && first.tokens?.[0]?.type === 'strong'
      const content = this.parser.parse(tokens)
      return isNote ? `<div class="note">${content}</div>\n` : `<blockquote>${content}</blockquote>\n`
    },
  },
})

const parseInline = (tokens: Token[]) => marked.Parser.parseInline(tokens, marked.defaults)

/** Renders a page's Markdown in the layout: title, lead paragraph, introduction, then sections. */
export function renderPage(path: string, markdown: string, layout: string): string {
  const [intro = [], ...sections] = splitAt(marked.lexer(tagsAsItems(markdown)), 2)
  const [title, lead, ...more] = intro.filter(({ type }) => type !== 'space')
  if (title?.type !== 'heading' || lead?.type !== 'paragraph')
    throw new Error(`${path}: a page begins with a title and a paragraph`)
  const heading = title as Tokens.Heading
  const main = `<header class="intro">
${layOut([heading, { ...lead, type: 'lead' }, ...more], 'top')}</header>
<nav class="toc" aria-labelledby="toc"><p id="toc">On this page</p>${renderContents(sections)}</nav>
<div class="sections">${sections.map((tokens) => renderSection(tokens, 2)).join('')}</div>`
  const section = `/${path.split('/')[1]}`
  const values: Record<string, string> = {
    path,
    title: escapeHtml(textOf(heading.tokens)),
    // The first paragraph, as plain text.
    description: escapeHtml(textOf(lead.tokens ?? [])),
    main,
    // The preview of the forms has their own style.
    ownStyle: path === '/website-forms' ? '\n<link rel="stylesheet" href="/website-form.css">' : '',
  }
  return (
    layout
      .replace(
        `<li><a href="{{baseUrl}}${section}"`,
        (href) => `${href} aria-current="${path === section ? 'page' : 'true'}"`,
      )
      .replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole)
      .replace('<p>{{formsPreview}}</p>', '{{formsPreview}}')
      // Placeholders in addresses.
      .replaceAll('%7B%7B', '{{')
      .replaceAll('%7D%7D', '}}')
  )
}

/** Makes section tags next to list items items of the same list. */
function tagsAsItems(markdown: string): string {
  return markdown.replace(
    /(^- .*\n)?((?:^\{\{[#^/]\w+\}\}\n)+)(?=(- )?)/gm,
    (whole, before = '', tags: string, after) =>
      before || after ? `${before}${tags.replace(/^/gm, '- ').replace(/- $/, '')}` : whole,
  )
}

/** Splits tokens before each heading of a level. The first part precedes the first heading. */
function splitAt(tokens: readonly Token[], level: number): Token[][] {
  const parts: Token[][] = [[]]
  for (const token of tokens) {
    if (token.type === 'heading' && token.depth === level) parts.push([])
    parts.at(-1)?.push(token)
  }
  return parts
}

const markOf = (tokens: readonly Token[]) => tokens.find((token): token is Mark => token.type === 'mark')

/** The anchor of a heading: an explicit one, or its words. */
function anchorOf({ tokens }: Tokens.Heading): string {
  return (
    markOf(tokens)?.id ??
    textOf(tokens)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
  )
}

function textOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'mark') return ''
      return 'tokens' in token && token.tokens ? textOf(token.tokens) : 'text' in token ? token.text : ''
    })
    .join('')
}

function renderContents(sections: readonly Token[][], level = 2): string {
  const entry = (tokens: Token[]) => {
    const heading = tokens[0] as Tokens.Heading
    const inner = level === 2 ? splitAt(tokens.slice(1), 3).slice(1) : []
    const contents = inner.length > 0 ? renderContents(inner, 3) : ''
    return `\n<li><a href="#${anchorOf(heading)}">${escapeHtml(textOf(heading.tokens))}</a>${contents}</li>`
  }
  return `<ul>${sections.map(entry).join('')}\n</ul>`
}

function renderSection(tokens: Token[], level: 2 | 3): string {
  const [own = [], ...inner] = level === 2 ? splitAt(tokens, 3) : [tokens]
  const heading = own[0] as Tokens.Heading
  const id = anchorOf(heading)
  const classes = markOf(heading.tokens)?.classes
  return `
<section${classes ? ` class="${classes.trim()}"` : ''}>
${layOut(own, id)}${inner.map((part) => renderSection(part, 3)).join('')}</section>`
}

/** Places text and code side by side. */
function layOut(tokens: Token[], id: string): string {
  const text = tokens.filter(({ type }) => type !== 'code' && type !== 'space')
  const samples = samplesOf(tokens)
  const content = text.map((token) => {
    if (token.type === 'heading') return renderHeading(token as Tokens.Heading, id)
    if (token.type === 'lead') return `<p class="lead">${parseInline((token as Tokens.Paragraph).tokens)}</p>\n`
    return marked.parser([token])
  })
  // Beside a heading alone, a sample would leave a column empty.
  return `<div class="${samples.length > 0 && text.length > 1 ? 'beside' : 'alone'}">
<div class="text">
${content.join('')}</div>
${samples.length > 0 ? `<div class="examples">\n${renderSamples(samples, id)}</div>\n` : ''}</div>
`
}

interface Sample {
  language: string
  label: string
  source: string
  /** The sections of the template that it is in. */
  sections: readonly string[]
}

function samplesOf(tokens: readonly Token[]): Sample[] {
  const open: string[] = []
  return tokens.flatMap((token): Sample[] => {
    if (token.type === 'section') {
      if (token.tag.startsWith('{{/')) open.pop()
      else open.push(token.tag)
    }
    if (token.type !== 'code') return []
    const { lang = '', text } = token as Tokens.Code
    const [language = ''] = lang.split(' ', 1)
    return [{ language, label: lang.slice(language.length + 1), source: text, sections: [...open] }]
  })
}

/** Programming languages, whose samples are alternatives. The others are answers and data. */
const programming = ['sh', 'ts', 'python', 'php']

/** Renders the samples of a section. `id` distinguishes its alternatives from others on the page. */
function renderSamples(samples: readonly Sample[], id: string): string {
  const alternatives = samples.filter(({ language }) => programming.includes(language))
  const shown = samples.map((sample) => {
    const { language, label, source, sections } = sample
    // The source of a page is long: it scrolls, also by keyboard.
    const scrolls = language === 'html' ? ' class="long" tabindex="0"' : ''
    const code = `<div class="sample"><pre${scrolls}><code>${escapeHtml(source)}</code></pre></div>`
    const isAlternative = alternatives.length > 1 && alternatives.includes(sample)
    // Of the elements with the same name, the browser opens one at a time.
    const name = isAlternative ? ` name="${id}-language"${sample === alternatives[0] ? ' open' : ''}` : ''
    // Beside another sample, an error is of interest to few.
    const isFolded = isAlternative || (samples.length > 1 && source.startsWith('HTTP/1.1 4'))
    const html = isFolded
      ? `<details class="code"${name}><summary>${escapeHtml(label)}</summary>${code}</details>\n`
      : `<figure class="code"><figcaption>${escapeHtml(label)}</figcaption>${code}</figure>\n`
    return sections.reduceRight((inner, tag) => `${tag}\n${inner}${tag.replace(/[#^]/, '/')}\n`, html)
  })
  return shown.join('')
}

/** The link comes after the heading, so that a screen reader reads the heading once. */
function renderHeading({ depth, tokens }: Tokens.Heading, id: string): string {
  const heading = `<h${depth} id="${id}">${parseInline(tokens)}</h${depth}>`
  return `<div class="heading">${heading}${anchorLink(id, tokens)}</div>\n`
}

const anchorLink = (id: string, name: Token[]) =>
  `<a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(textOf(name))}">#</a>`

function renderTable({ header, rows }: Tokens.Table): string {
  const inline = (cell: Tokens.TableCell | undefined) => parseInline(cell?.tokens ?? [])
  if (header[1]?.text === '') {
    const facts = rows.map(([name, value]) => `\n<div><dt>${inline(name)}</dt><dd>${inline(value)}</dd></div>`)
    return `<dl class="facts">${facts.join('')}\n</dl>\n`
  }
  // The ARIA roles keep it a table on phones, where CSS shows its rows as blocks.
  const head = header.map((cell) => `<th role="columnheader" scope="col">${inline(cell)}</th>`)
  const body = rows.map(([first, ...others]) => {
    const label = (column: number) => escapeHtml(header[column + 1]?.text ?? '')
    const cells = others.map(
      (cell, at) => `<td role="cell" data-label="${label(at)}"><span>${inline(cell)}</span></td>`,
    )
    return `\n<tr role="row"><th role="rowheader" scope="row">${inline(first)}</th>${cells.join('')}</tr>`
  })
  return `<table role="table">
<thead role="rowgroup"><tr role="row">${head.join('')}</tr></thead>
<tbody role="rowgroup">${body.join('')}
</tbody></table>\n`
}

/** The text between an entry's name and its description: ` (string, required): `. */
const entryTags = /^(?: \(([^)]*)\))?: /

function inlineOf({ tokens }: Tokens.ListItem): Token[] {
  const [first] = tokens
  return first && 'tokens' in first ? (first.tokens ?? []) : []
}

function isEntry(item: Tokens.ListItem): boolean {
  const [name, text] = inlineOf(item)
  return name?.type === 'codespan' && text?.type === 'text' && entryTags.test(text.text)
}

function renderEntries({ items }: Tokens.List): string {
  const entry = (item: Tokens.ListItem) => {
    const [name, first, ...rest] = inlineOf(item) as [Token, Tokens.Text, ...Token[]]
    const id = markOf(rest)?.id
    const tags = entryTags.exec(first.text)?.[1]?.split(', ') ?? []
    const shown = tags.map((tag) => ` <span class="tag tag-${tag.replace(/\W+/g, '-').toLowerCase()}">${tag}</span>`)
    const start = { ...first, text: first.text.replace(entryTags, '') }
    return `
<li${id ? ` id="${id}"` : ''}><p class="name">${parseInline([name])}${shown.join('')}${id ? anchorLink(id, [name]) : ''}</p>
<p>${parseInline([start, ...rest])}</p></li>`
  }
  return `<ul class="entries">${items.map(entry).join('')}\n</ul>\n`
}
