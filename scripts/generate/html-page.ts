import { Marked, type Token, type Tokens } from 'marked'
import { escapeHtml } from '../../src/safe-text.ts'
import { Html, html } from './html.ts'

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
    table(token) {
      const inline = (cell: Tokens.TableCell) => new Html(this.parser.parseInline(cell.tokens))
      return renderTable(token, inline).source
    },
    list(token) {
      const inline = (tokens: Token[]) => new Html(this.parser.parseInline(tokens))
      return token.items.every(isEntry) ? renderEntries(token, inline).source : false
    },
    listitem: ({ text }) => (sectionTag.test(text) ? `${text}\n` : false),
    blockquote({ tokens }) {
      const [first] = tokens
      const isNote = first?.type === 'paragraph' && first.tokens?.[0]?.type === 'strong'
      const content = new Html(this.parser.parse(tokens))
      return isNote
        ? html`<div class="note">${content}</div>\n`.source
        : html`<blockquote>${content}</blockquote>\n`.source
    },
  },
})

const parse = (tokens: Token[]) => new Html(marked.parser(tokens))
const parseInline = (tokens: Token[]) => new Html(marked.Parser.parseInline(tokens, marked.defaults))

/** Renders a page's Markdown in the layout: title, lead paragraph, introduction, then sections. */
export function renderPage(path: string, markdown: string, layout: string): string {
  const [intro = [], ...sections] = splitAt(marked.lexer(tagsAsItems(markdown)), 2)
  const [title, lead, ...more] = intro.filter(({ type }) => type !== 'space')
  if (title?.type !== 'heading' || lead?.type !== 'paragraph')
    throw new Error(`${path}: a page begins with a title and a paragraph`)
  const heading = title as Tokens.Heading
  const main = html`<header class="intro">
${layOut([heading, { ...lead, type: 'lead' }, ...more], 'top')}</header>
<nav class="toc" aria-labelledby="toc"><p id="toc">On this page</p>${renderContents(sections)}</nav>
<div class="sections">${sections.map((tokens) => renderSection(tokens, 2))}</div>`
  const section = `/${path.split('/')[1]}`
  const values: Record<string, string> = {
    path,
    title: escapeHtml(textOf(heading.tokens)),
    // The first paragraph, as plain text.
    description: escapeHtml(textOf(lead.tokens ?? [])),
    main: main.source,
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

function renderContents(sections: readonly Token[][], level = 2): Html {
  const entry = (tokens: Token[]) => {
    const heading = tokens[0] as Tokens.Heading
    const inner = level === 2 ? splitAt(tokens.slice(1), 3).slice(1) : []
    return html`\n<li><a href="#${anchorOf(heading)}">${textOf(heading.tokens)}</a>${inner.length > 0 ? renderContents(inner, 3) : undefined}</li>`
  }
  return html`<ul>${sections.map(entry)}\n</ul>`
}

function renderSection(tokens: Token[], level: 2 | 3): Html {
  const [own = [], ...inner] = level === 2 ? splitAt(tokens, 3) : [tokens]
  const heading = own[0] as Tokens.Heading
  const id = anchorOf(heading)
  const classes = markOf(heading.tokens)?.classes
  return html`
<section${classes ? html` class="${classes.trim()}"` : undefined}>
${layOut(own, id)}${inner.map((part) => renderSection(part, 3))}</section>`
}

/** Places text and code side by side. */
function layOut(tokens: Token[], id: string): Html {
  const text = tokens.filter(({ type }) => type !== 'code' && type !== 'space')
  const samples = samplesOf(tokens)
  const content = text.map((token) => {
    if (token.type === 'heading') return renderHeading(token as Tokens.Heading, id)
    if (token.type === 'lead') return html`<p class="lead">${parseInline((token as Tokens.Paragraph).tokens)}</p>\n`
    return parse([token])
  })
  // Beside a heading alone, a sample would leave a column empty.
  return html`<div class="${samples.length > 0 && text.length > 1 ? 'beside' : 'alone'}">
<div class="text">
${content}</div>
${samples.length > 0 ? html`<div class="examples">\n${renderSamples(samples, id)}</div>\n` : undefined}</div>
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
function renderSamples(samples: readonly Sample[], id: string): Html {
  const alternatives = samples.filter(({ language }) => programming.includes(language))
  return html`${samples.map((sample) => {
    // Beside another sample, an error is of interest to few.
    const isFolded = samples.length > 1 && sample.source.startsWith('HTTP/1.1 4')
    const isAlternative = alternatives.length > 1 && alternatives.includes(sample)
    const shown = isAlternative
      ? renderDetails(sample, html` name="${id}-language"${sample === alternatives[0] ? html` open` : undefined}`)
      : isFolded
        ? renderDetails(sample)
        : renderFigure(sample)
    return sample.sections.reduceRight((inner, tag) => html`${tag}\n${inner}${tag.replace(/[#^]/, '/')}\n`, shown)
  })}`
}

/** The source of a page is long: it scrolls, also by keyboard. */
const renderCode = ({ language, source }: Sample) =>
  html`<div class="sample"><pre${language === 'html' ? html` class="long" tabindex="0"` : undefined}><code>${source}</code></pre></div>`

function renderFigure(sample: Sample): Html {
  return html`<figure class="code"><figcaption>${sample.label}</figcaption>${renderCode(sample)}</figure>\n`
}

/** Of the elements with the same name, the browser opens one at a time. */
function renderDetails(sample: Sample, attributes?: Html): Html {
  return html`<details class="code"${attributes}><summary>${sample.label}</summary>${renderCode(sample)}</details>\n`
}

/** The link comes after the heading, so that a screen reader reads the heading once. */
function renderHeading({ depth, tokens }: Tokens.Heading, id: string): Html {
  const heading = new Html(`<h${depth} id="${id}">${parseInline(tokens).source}</h${depth}>`)
  return html`<div class="heading">${heading}<a class="anchor" href="#${id}" aria-label="Link to ${textOf(tokens)}">#</a></div>\n`
}

function renderTable({ header, rows }: Tokens.Table, inline: (cell: Tokens.TableCell) => Html): Html {
  if (header[1]?.text === '') {
    return html`<dl class="facts">${rows.map(
      ([name, value]) => html`\n<div><dt>${name && inline(name)}</dt><dd>${value && inline(value)}</dd></div>`,
    )}\n</dl>\n`
  }
  // The ARIA roles keep it a table on phones, where CSS shows its rows as blocks.
  return html`<table role="table">
<thead role="rowgroup"><tr role="row">${header.map((cell) => html`<th role="columnheader" scope="col">${inline(cell)}</th>`)}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (row) => html`
<tr role="row">${row.map((cell, column) =>
      column === 0
        ? html`<th role="rowheader" scope="row">${inline(cell)}</th>`
        : html`<td role="cell" data-label="${header[column]?.text}"><span>${inline(cell)}</span></td>`,
    )}</tr>`,
  )}
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

function renderEntries({ items }: Tokens.List, inline: (tokens: Token[]) => Html): Html {
  const entry = (item: Tokens.ListItem) => {
    const [name, first, ...rest] = inlineOf(item) as [Token, Tokens.Text, ...Token[]]
    const id = markOf(rest)?.id
    const tags = entryTags.exec(first.text)?.[1]?.split(', ') ?? []
    const start = { ...first, text: first.text.replace(entryTags, '') }
    const anchor = id && html`<a class="anchor" href="#${id}" aria-label="Link to ${textOf([name])}">#</a>`
    return html`
<li${id ? html` id="${id}"` : undefined}><p class="name">${inline([name])}${tags.map(
      (tag) => html` <span class="tag tag-${tag.replace(/\W+/g, '-').toLowerCase()}">${tag}</span>`,
    )}${anchor || undefined}</p>
<p>${inline([start, ...rest])}</p></li>`
  }
  return html`<ul class="entries">${items.map(entry)}\n</ul>\n`
}
