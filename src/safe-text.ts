/** Control characters except line breaks and tabs, and those that turn the text's direction: both could fake texts. */
const unprintable = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

/** Replaces what cannot be shown safely. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => (character === '\n' || character === '\t' ? character : '\ufffd'))
}

const entities: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }

/** Escapes text for HTML content and for quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&${entities[character]};`)
}
