/**
 * Whether a text that has the form of an http(s) URL (the proto's pattern) is one, without user information. The URL
 * parser alone would take `https:example.com`, so the pattern comes first.
 */
export function isPageUrl(text: string): boolean {
  const authority = text.slice(text.indexOf('//') + 2).split(/[/?#]/, 1)[0] ?? ''
  return authority !== '' && !authority.includes('@') && URL.canParse(text)
}
