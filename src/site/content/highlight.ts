import { type Html, html } from './html.ts'
import type { Language } from './page.ts'

const string = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`
const number = String.raw`\b\d[\d_.]*\b`

/** What is marked in each language: a group's name becomes the class of the mark. */
const grammars: Readonly<Partial<Record<Language, RegExp>>> = {
  json: new RegExp(
    String.raw`(?<key>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<string>${string})|(?<word>\b(?:true|false|null)\b)|(?<number>${number})`,
    'g',
  ),
  http: new RegExp(
    String.raw`(?<word>^(?:HTTP\/1\.1 \d{3}.*|(?:GET|POST) \S+ HTTP\/1\.1)$)|(?<key>^[A-Za-z-]+(?=:)|"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<string>${string})`,
    'gm',
  ),
  shell: /(?<comment>^#.*$)|(?<string>"(?:[^"\\]|\\.)*"|'[^']*')|(?<word>^curl\b)|(?<key>(?<=\s)--?[a-z][a-z-]*)/gm,
  typescript: new RegExp(
    String.raw`(?<comment>\/\/.*$)|(?<string>${string}|${'`'}[^${'`'}]*${'`'})|(?<word>\b(?:const|let|await|async|function|return|if|else|for|while|throw|new|import|from|export|true|false|null|undefined)\b)|(?<number>${number})`,
    'gm',
  ),
  python: new RegExp(
    String.raw`(?<comment>#.*$)|(?<string>f?(?:${string}))|(?<word>\b(?:import|from|def|return|if|elif|else|for|while|try|except|with|as|raise|in|not|and|or|True|False|None)\b)|(?<number>${number})`,
    'gm',
  ),
}

/** Marks the strings, keys, words, numbers and comments of a source text; its text stays as it is. */
export function highlight(source: string, language: Language): Html {
  const grammar = grammars[language]
  if (!grammar) return html`${source}`
  const pieces: Html[] = []
  let end = 0
  for (const match of source.matchAll(grammar)) {
    const name = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0] ?? ''
    pieces.push(html`${source.slice(end, match.index)}<span class="hl-${name}">${match[0]}</span>`)
    end = match.index + match[0].length
  }
  return html`${pieces}${source.slice(end)}`
}
