import { type Content, make } from './dom.ts'
import type { Kind } from './fields.ts'
import type { readTexts, TextName } from './texts.ts'

export type Writer = ReturnType<typeof createWriter>

/** Makes nodes of texts, in the language of a form. */
export function createWriter(kind: Kind, texts: ReturnType<typeof readTexts>, lang: string) {
  const link = (text: string, href: string | undefined, newTab = false): Content =>
    href ? make('a', { href, ...(newTab && { target: '_blank', rel: 'noopener' }) }, text) : text
  const placeholders: Readonly<Record<string, () => Content | Content[]>> = {
    phone: () => link(deployment.phone, deployment.phoneUri),
    email: () => link(deployment.email, deployment.emailUri),
    terms: () => link(texts.terms, `${deployment.baseUrl}/terms`, true),
    privacy: () => link(texts.privacy, `${deployment.baseUrl}/privacy`, true),
    agents: () => link(texts.agents, `${deployment.baseUrl}/llms.txt`),
    contact: () => write('contact'),
    last: () => texts[kind === 'quote' ? 'notes' : 'message'],
    send: () => texts[`${kind}.send`],
  }
  /** A text with its placeholders filled in: by `values`, or by what they always mean. */
  function write(name: TextName, values: Readonly<Record<string, string>> = {}): Content[] {
    const parts = texts[name].split(/%(\w+)%/)
    return parts.flatMap((part, index) => (index % 2 === 0 ? part : (values[part] ?? placeholders[part]?.() ?? '')))
  }
  return {
    texts,
    write,
    number: (value: number, options?: Intl.NumberFormatOptions) => value.toLocaleString(lang, options),
  }
}

/** The language of a form. An owner may have written one that is none. */
export function validLanguage(lang: string | null): string {
  try {
    return Intl.getCanonicalLocales(lang ?? [])[0] ?? 'en'
  } catch {
    return 'en'
  }
}
