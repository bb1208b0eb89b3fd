import { highlight } from './highlight.ts'
import { type Html, html } from './html.ts'
import { type Inline, type Markdown, parseInline } from './markdown.ts'
import type { Block, Code, Entry, Page, Section } from './page.ts'

/** Renders the content of a page's `main` as HTML. Links to paths become absolute. */
export function renderMain(page: Page, baseUrl: string): Html {
  const address = (target: string) => (target.startsWith('/') ? `${baseUrl}${target}` : target)

  function piece(item: Inline): Html {
    switch (item.kind) {
      case 'text':
        return html`${item.text}`
      case 'code':
        return html`<code>${item.text}</code>`
      case 'strong':
        return html`<strong>${item.content.map(piece)}</strong>`
      case 'link':
        return html`<a href="${address(item.target)}">${item.content.map(piece)}</a>`
    }
  }
  const inline = (text: Markdown) => html`${parseInline(text.source).map(piece)}`

  const codeBlock = ({ label, language, source }: Code) =>
    html`<figure class="code"><figcaption>${label}</figcaption>${pre(label, source, language)}</figure>`

  const entry = ({ id, name, href, tags, body }: Entry) => html`
<div class="entry" id="${id}">
<dt>${href ? html`<a href="${address(href)}"><code>${name}</code></a>` : html`<code>${name}</code>`}${tags.map(
    (tag) => html` <span class="tag tag-${tag.replace(/\W+/g, '-').toLowerCase()}">${tag}</span>`,
  )}${anchor(id, name)}</dt>
${body.map((text) => html`<dd>${inline(text)}</dd>`)}
</div>`

  function block(item: Block): Html {
    switch (item.kind) {
      case 'paragraph':
        return html`<p>${inline(item.text)}</p>\n`
      case 'list': {
        const items = item.items.map((text) => html`<li>${inline(text)}</li>\n`)
        return item.ordered ? html`<ol>\n${items}</ol>\n` : html`<ul>\n${items}</ul>\n`
      }
      case 'table':
        return html`<table role="table"><caption>${item.caption}</caption>
<thead role="rowgroup"><tr role="row">${item.head.map((text) => html`<th role="columnheader" scope="col">${text}</th>`)}</tr></thead>
<tbody role="rowgroup">${item.rows.map(
          (row) => html`
<tr role="row">${row.map(
            (text, column) => html`<td role="cell" data-label="${item.head[column]}"><span>${inline(text)}</span></td>`,
          )}</tr>`,
        )}
</tbody></table>\n`
      case 'entries':
        return html`<dl class="entries">${item.items.map(entry)}\n</dl>\n`
      case 'facts':
        return html`<dl class="facts">${item.items.map(
          ([name, text]) => html`\n<div><dt>${name}</dt><dd>${inline(text)}</dd></div>`,
        )}\n</dl>\n`
      case 'note':
        return html`<div class="note"><p><strong>${item.title}</strong> ${inline(item.text)}</p></div>\n`
      case 'quote':
        return html`<blockquote><p>${inline(item.text)}</p></blockquote>\n`
      case 'cards':
        return html`<ul class="cards">${item.items.map(
          ({ href, title, text }) => html`\n<li><a href="${address(href)}">${title}</a><p>${inline(text)}</p></li>`,
        )}\n</ul>\n`
      case 'code':
        return html`${codeBlock(item)}\n`
      case 'choice':
        return html`<div class="choice">${item.items.map(
          ({ label, source, language }, index) => html`
<details name="${item.name}"${index === 0 ? html` open` : undefined}><summary>${label}</summary>${pre(label, source, language)}</details>`,
        )}\n</div>\n`
    }
  }

  const section = (item: Section, level: 2 | 3): Html => html`
<section aria-labelledby="${item.id}">
<div class="${item.examples ? 'beside' : 'alone'}">
<div class="text">
${level === 2 ? html`<h2 id="${item.id}">${item.title}${anchor(item.id, item.title)}</h2>` : html`<h3 id="${item.id}">${item.title}${anchor(item.id, item.title)}</h3>`}
${item.blocks.map(block)}</div>
${item.examples ? html`<div class="examples">\n${item.examples.map(block)}</div>\n` : undefined}</div>
${item.sections?.map((inner) => section(inner, 3))}</section>`

  return html`<header class="intro">
<h1 id="top">${page.title}${anchor('top', page.title)}</h1>
<p class="lead">${page.description}</p>
${page.intro.map(block)}</header>
${page.sections.map((item) => section(item, 2))}`
}

/** Focusable, so that a keyboard can scroll what is wider than its box. */
function pre(label: string, source: string, language: Code['language']): Html {
  return html`<pre tabindex="0" role="group" aria-label="${label}"><code>${highlight(source.trimEnd(), language)}</code></pre>`
}

function anchor(id: string, title: string): Html {
  return html`<a class="anchor" href="#${id}" aria-label="Link to ${title}">#</a>`
}
