import { escapeHtml, type Value } from '../template.ts'

/** How a kind of document shows the values of a deployment. */
export interface Format {
  escape(text: string): string
  link(text: string, uri: string): Value
  /** A value that is only used in code and addresses. */
  verbatim(text: string): Value
}

/** Characters with a meaning in Markdown, or in HTML inside it, some only at the start of a line. */
const special = /[\\`*_[\]<>{}|~&]|^[#+-]|(?<=^\d+)[.)]/g

/** Escapes one line of text, so that every Markdown renderer shows it literally. */
export function escapeMarkdown(text: string): string {
  return text.replace(/\s+/g, ' ').trim().replace(special, '\\$&')
}

export const html: Format = {
  escape: escapeHtml,
  link: (text, uri) => ({ source: `<a href="${escapeHtml(uri)}">${escapeHtml(text)}</a>` }),
  verbatim: (text) => text,
}

export const markdown: Format = {
  escape: escapeMarkdown,
  link: (text, uri) => ({ source: `[${escapeMarkdown(text)}](${uri})` }),
  verbatim: (source) => ({ source }),
}

const same = (text: string) => text

/** Plain text needs no escaping and has no links. */
export const plainText: Format = { escape: same, link: same, verbatim: same }

/** The inside of a JSON string. */
export const json: Format = { ...plainText, escape: (text) => JSON.stringify(text).slice(1, -1) }
