import type { Kind } from './fields.ts'
import english from './texts.json' with { type: 'json' }

export type TextName = keyof typeof english
type Texts = Record<TextName, string> & { consent?: string; 'consent-version'?: string }

/** What a form says, in its language. */
export type Writer = ReturnType<typeof createWriter>

/**
 * Reads the attributes `texts`, which replaces texts of `texts.json`, and `lang`. `FIELD.help` is shown below a field,
 * `FIELD.ask` if it is empty, `FIELD.wrong` if the service refuses its value. Other texts are named after faults.
 */
export function createWriter(kind: Kind, json: string | null, language: string | null) {
  let texts: Texts = english
  // Without texts of its own, a form is in English, whatever the language of the page.
  let lang = 'en'
  try {
    const own = Object.entries(json ? JSON.parse(json) : {}).filter(([, text]) => typeof text === 'string')
    texts = { ...english, ...Object.fromEntries(own) }
    if (json && language) lang = Intl.getCanonicalLocales(language)[0] ?? lang
  } catch (error) {
    console.warn('lead-form: "texts" is not JSON, or "lang" is no language.', error)
  }
  const { baseUrl, phone, phoneUri, email, emailUri } = deployment
  const standardValues: Readonly<Record<string, () => Content | Content[]>> = {
    phone: () => (phoneUri ? make('a', { href: phoneUri }, phone) : phone),
    email: () => make('a', { href: emailUri }, email),
    terms: () => make('a', { href: `${baseUrl}/terms`, ...newTab }, texts.terms),
    privacy: () => make('a', { href: `${baseUrl}/privacy`, ...newTab }, texts.privacy),
    agents: () => make('a', { href: `${baseUrl}/llms.txt` }, texts.agents),
    contact: () => write('contact'),
    last: () => texts[kind === 'quote' ? 'notes' : 'message'],
    send: () => texts[`${kind}.send`],
  }
  /** A text with its placeholders filled in: by `values`, or by what they always mean. */
  function write(name: TextName, values: Readonly<Record<string, string>> = {}): Content[] {
    const parts = texts[name].split(/%(\w+)%/)
    return parts.flatMap((part, index) => (index % 2 === 0 ? part : (values[part] ?? standardValues[part]?.() ?? '')))
  }
  const number = (value: number, options?: Intl.NumberFormatOptions) => value.toLocaleString(lang, options)
  return { texts, lang, write, number }
}

const newTab = { target: '_blank', rel: 'noopener' }

export type Content = string | Node

/** Creates an element without `innerHTML`, which Trusted Types forbid. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Record<string, string | number | boolean | undefined> = {},
  ...children: Content[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : String(value))
  element.append(...children)
  return element
}
