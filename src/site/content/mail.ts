import { Markdown, plain } from './markdown.ts'

/** An e-mail address as a URI (RFC 6068 §2). */
export function mailto(address: string): string {
  return `mailto:${encodeURIComponent(address)
    .replaceAll('%40', '@')
    .replace(/[()]/g, (brace) => (brace === '(' ? '%28' : '%29'))}`
}

/** An e-mail address that leads to itself. */
export function mailLink(address: string): Markdown {
  return new Markdown(`[${plain(address).source}](${mailto(address)})`)
}
