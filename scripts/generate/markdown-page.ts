import { withoutTagBullets } from './content.ts'

const heading = /^#+ (.*?) \{#([\w-]+)\}$/gm

/**
 * A page as Markdown: without HTML outside samples, anchors and the bullets of section tags. Links within the page lead
 * to the anchors that readers make of headings: in lower case, without punctuation, with dashes for spaces.
 */
export function markdownPage(markdown: string): string {
  const anchors = new Map(Array.from(markdown.matchAll(heading), ([, words = '', id = '']) => [id, anchorOf(words)]))
  return withoutTagBullets(markdown)
    .replace(/\]\(#([\w-]+)\)/g, (_, id: string) => `](#${anchors.get(id) ?? id})`)
    .replace(/^```[\s\S]*?^```$| \{#[^}]*\}$|^<.*>\n+/gm, (text) => (text.startsWith('```') ? text : ''))
}

const anchorOf = (words: string) =>
  words
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
