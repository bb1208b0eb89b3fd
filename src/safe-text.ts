/** Control characters, and those that change the direction of text: both could make a text look different. */
const unprintable = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

export function printable(text: string): string {
  return text.replace(unprintable, (character) => (character === '\n' || character === '\t' ? character : '\ufffd'))
}

const entities: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }

/** Escapes text for HTML content and for quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&${entities[character]};`)
}
