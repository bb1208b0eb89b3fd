import { type Html, html } from './html.ts'

const string = String.raw`"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'`
const number = String.raw`\b\d[\d_.]*\b`
const words = (...all: string[]) => String.raw`(?<word>\b(?:${all.join('|')})\b)`

/** The tokens to highlight in each language. The name of a group becomes the CSS class. */
const grammars: Readonly<Record<string, RegExp>> = {
  json: new RegExp(
    String.raw`(?<key>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<string>${string})|${words('true', 'false', 'null')}|(?<number>${number})`,
    'g',
  ),
  http: new RegExp(
    String.raw`(?<word>^(?:HTTP\/1\.1 \d{3}.*|(?:GET|POST) \S+ HTTP\/1\.1)$)|(?<key>^[A-Za-z-]+(?=:)|"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<string>${string})`,
    'gm',
  ),
  sh: /(?<comment>^#.*$)|(?<key>(?<=\s)--?[a-zA-Z][a-z-]*|^ *"\w+"(?=:))|(?<string>"(?:[^"\\\n]|\\.)*"|'[^'\n]*')|(?<word>^curl\b|\btrue\b)/gm,
  ts: new RegExp(
    String.raw`(?<comment>\/\/.*$)|(?<string>${string}|${'`'}[^${'`'}]*${'`'})|${words('const', 'let', 'await', 'async', 'function', 'return', 'if', 'else', 'for', 'while', 'throw', 'new', 'try', 'catch', 'break', 'import', 'from', 'export', 'true', 'false', 'null', 'undefined')}|(?<number>${number})`,
    'gm',
  ),
  python: new RegExp(
    `(?<comment>#.*$)|(?<string>f?(?:${string}))|${words('import', 'from', 'def', 'return', 'if', 'elif', 'else', 'for', 'while', 'try', 'except', 'with', 'as', 'raise', 'break', 'continue', 'in', 'not', 'and', 'or', 'True', 'False', 'None')}|(?<number>${number})`,
    'gm',
  ),
  php: new RegExp(
    String.raw`(?<comment>\/\/.*$|\/\*[\s\S]*?\*\/)|(?<string>${string})|(?<key>\$\w+)|${words('function', 'return', 'if', 'else', 'for', 'foreach', 'while', 'true', 'false', 'null', 'array', 'break', 'isset', 'empty')}|(?<number>${number})`,
    'gm',
  ),
}

/** Highlights strings, keys, words, numbers and comments of a source text, without changing the text. */
export function highlight(source: string, language: string): Html {
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
