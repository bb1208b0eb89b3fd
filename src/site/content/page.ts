import type { Markdown } from './markdown.ts'

export type Language = 'json' | 'http' | 'shell' | 'typescript' | 'python' | 'html' | 'text'

/** A piece of source text to copy. */
export interface Code {
  kind: 'code'
  language: Language
  /** What it is, as a short heading. */
  label: string
  source: string
}

/** A described thing with an anchor of its own: a field, a code, a header. */
export interface Entry {
  id: string
  name: string
  /** A path that the name leads to. */
  href?: string
  /** Short marks beside the name, such as `required`. */
  tags: readonly string[]
  body: readonly Markdown[]
}

export type Block =
  | { kind: 'paragraph'; text: Markdown }
  | { kind: 'list'; ordered: boolean; items: readonly Markdown[] }
  | { kind: 'table'; caption: string; head: readonly string[]; rows: readonly (readonly Markdown[])[] }
  | { kind: 'entries'; items: readonly Entry[] }
  /** Short facts, each with its name. */
  | { kind: 'facts'; items: readonly (readonly [name: string, text: Markdown])[] }
  | { kind: 'note'; title: string; text: Markdown }
  | { kind: 'quote'; text: Markdown }
  | { kind: 'cards'; items: readonly { href: string; title: string; text: Markdown }[] }
  | Code
  /** The same in several languages; the first one is shown. */
  | { kind: 'choice'; name: string; items: readonly Code[] }

export interface Section {
  /** The anchor. */
  id: string
  title: string
  blocks: readonly Block[]
  /** What stands beside the text where there is room. */
  examples?: readonly Block[]
  sections?: readonly Section[]
}

/** A page for people; rendered as HTML and as Markdown. */
export interface Page {
  title: string
  /** One sentence, for search results and the head of the page. */
  description: string
  intro: readonly Block[]
  sections: readonly Section[]
}

export const paragraph = (text: Markdown): Block => ({ kind: 'paragraph', text })
export const list = (...items: Markdown[]): Block => ({ kind: 'list', ordered: false, items })
export const steps = (...items: Markdown[]): Block => ({ kind: 'list', ordered: true, items })
export const note = (title: string, text: Markdown): Block => ({ kind: 'note', title, text })
