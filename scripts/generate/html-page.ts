import { Marked, type Token, type Tokens } from 'marked'
import { escapeHtml } from '../../src/template.ts'

// Pages are GitHub's Markdown, with HTML on its own lines where Markdown has no syntax for it, and four conventions:
// - `{#id}` at the end of a heading is its anchor.
// - Each heading begins a part of the page, and the samples of a part appear together, next to its text.
// - A list item that begins with a name in code, and a colon, defines the name.
// - A paragraph or list item that is only a section tag, such as `{{#name}}`, stays as it is.

const sectionTag = /^\{\{[#^/]\w+\}\}$/

const marked = new Marked({
  // Only explicit links become links.
  tokenizer: { url: () => undefined },
  renderer: {
    heading: renderHeading,
    table: renderTable,
    paragraph: ({ text }) => sectionTag.test(text) && `${text}\n`,
    listitem({ text, tokens }) {
      if (sectionTag.test(text)) return `${text}\n`
      // The name, then what kind it is: ` (string, required): `.
      const name = /^<code>([\w-]+)<\/code>(?: \(([^)]*)\))?: /
      const content = this.parser.parse(tokens).replace(name, (_, code: string, kind = '') => {
        const tags = kind.replaceAll('required', '<strong>required</strong>')
        return `<span class="name"><code>${code}</code> ${tags}</span>`
      })
      return `<li>${content}</li>\n`
    },
  },
})

const inline = (markdown: string) => marked.parseInline(markdown) as string
/** The text of some Markdown, as HTML without elements. */
const plain = (markdown: string) => inline(markdown).replace(/<[^>]*>/g, '')

/** Renders a page's Markdown in the layout: title and first paragraph, then the parts. */
export function renderPage(path: string, markdown: string, layout: string): string {
  // A section tag on a line of its own is a paragraph of its own, but not in a sample.
  const apart = markdown.replace(/^```[\s\S]*?^```|^\{\{[#^/]\w+\}\}$/gm, (text) =>
    text.startsWith('{{') ? `\n${text}\n` : text,
  )
  const [intro = [], ...parts] = splitAtHeadings(marked.lexer(apart), 3)
  const [title, lead] = intro.filter(({ type }) => type !== 'space')
  if (title?.type !== 'heading' || lead?.type !== 'paragraph')
    throw new Error(`${path}: a page begins with a title and a paragraph`)
  const chapters = splitAtHeadings(
    parts.map(([heading]) => heading as Tokens.Heading),
    2,
  )
  const section = `/${path.split('/')[1]}`
  const values: Record<string, string> = {
    path,
    title: plain(partsOf(title as Tokens.Heading).words),
    description: plain(lead.text),
    main: `<header class="intro part">
${renderPart(intro)}</header>
<nav class="toc" aria-labelledby="toc"><p id="toc">On this page</p>${renderContents(chapters.slice(1))}</nav>
<div class="parts">${parts.map((part) => `\n<section class="part">\n${renderPart(part)}</section>`).join('')}</div>`,
  }
  return (
    layout
      .replace(
        `<li><a href="{{baseUrl}}${section}"`,
        (href) => `${href} aria-current="${path === section ? 'page' : 'true'}"`,
      )
      .replace(/\{\{(\w+)\}\}/g, (whole, name: string) => values[name] ?? whole)
      // Placeholders in addresses.
      .replaceAll('%7B%7B', '{{')
      .replaceAll('%7D%7D', '}}')
  )
}

/** Splits tokens before each heading from level 2 to `deepest`. The first list precedes the first of these headings. */
function splitAtHeadings<T extends Token>(tokens: readonly T[], deepest: number): T[][] {
  const parts: T[][] = [[]]
  for (const token of tokens) {
    if (token.type === 'heading' && token.depth > 1 && token.depth <= deepest) parts.push([])
    parts.at(-1)?.push(token)
  }
  return parts
}

/** The words of a heading, and its anchor: an explicit one, or its words. */
function partsOf({ text }: Tokens.Heading) {
  const [, words = '', id] = /^(.*?)(?: \{#([\w-]+)\})?$/.exec(text) ?? []
  const slug = plain(words)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
  return { words, id: id ?? slug.replace(/^-|-$/g, '') }
}

function renderContents(chapters: readonly Tokens.Heading[][]): string {
  const entries = chapters.map(([chapter, ...inner]) => {
    const { words, id } = partsOf(chapter as Tokens.Heading)
    const contents = inner.length > 0 ? renderContents(inner.map((heading) => [heading])) : ''
    return `\n<li><a href="#${id}">${plain(words)}</a>${contents}</li>`
  })
  return `<ul>${entries.join('')}\n</ul>`
}

/** The link comes after the heading, so that a screen reader reads the heading once. */
function renderHeading(heading: Tokens.Heading): string {
  const { words, id } = partsOf(heading)
  const level = `h${heading.depth}`
  return `<div class="heading"><${level} id="${id}">${inline(words)}</${level}><a class="anchor" href="#${id}" aria-label="Link to ${plain(words)}">#</a></div>\n`
}

/** Renders the tokens in their order, with all samples where the first one is. */
function renderPart(tokens: readonly Token[]): string {
  const samples = tokens.filter((token): token is Tokens.Code => token.type === 'code')
  const heading = tokens.find(({ type }) => type === 'heading') as Tokens.Heading
  const render = (token: Token) => {
    if (token === samples[0]) return `<div class="examples">\n${renderSamples(samples, partsOf(heading).id)}</div>\n`
    return token.type === 'code' ? '' : marked.parser([token])
  }
  return tokens.map(render).join('')
}

/** Programming languages, whose samples are alternatives. The others are answers and data. */
const programming = /^(?:sh|ts|python|php) /

/** Renders the samples of a part. `id` distinguishes its alternatives from others on the page. */
function renderSamples(samples: readonly Tokens.Code[], id: string): string {
  const alternatives = samples.filter(({ lang = '' }) => programming.test(lang))
  const shown = samples.map((sample) => {
    const { lang = '', text } = sample
    const label = escapeHtml(lang.replace(/^\w+ /, ''))
    // Long samples scroll, also by keyboard.
    const scrolls = text.split('\n').length > 40 ? ' class="long" tabindex="0"' : ''
    const code = `<div class="sample"><pre${scrolls}><code>${escapeHtml(text)}</code></pre></div>`
    const isAlternative = alternatives.length > 1 && alternatives.includes(sample)
    // Of the elements with the same name, the browser opens one at a time.
    const name = isAlternative ? ` name="${id}-language"${sample === alternatives[0] ? ' open' : ''}` : ''
    // Next to another sample, an error interests few readers.
    return isAlternative || (samples.length > 1 && text.startsWith('HTTP/1.1 4'))
      ? `<details class="code"${name}><summary>${label}</summary>${code}</details>\n`
      : `<figure class="code"><figcaption>${label}</figcaption>${code}</figure>\n`
  })
  return shown.join('')
}

/** The ARIA roles keep it a table on phones, where CSS shows its rows as blocks. A column may have no heading. */
function renderTable({ header, rows }: Tokens.Table): string {
  const head = header.map(({ text }) =>
    text ? `<th role="columnheader" scope="col">${inline(text)}</th>` : '<td role="cell"></td>',
  )
  const body = rows.map(([first, ...others]) => {
    const cells = others.map(({ text }, at) => {
      const label = header[at + 1]?.text
      return `<td role="cell"${label ? ` data-label="${escapeHtml(label)}"` : ''}><span>${inline(text)}</span></td>`
    })
    return `\n<tr role="row"><th role="rowheader" scope="row">${inline(first?.text ?? '')}</th>${cells.join('')}</tr>`
  })
  return `<table role="table">
<thead role="rowgroup"><tr role="row">${head.join('')}</tr></thead>
<tbody role="rowgroup">${body.join('')}
</tbody></table>\n`
}
