/** HTML that is safe to put into HTML. */
export class Html {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

type Value = string | number | Html | undefined | readonly Html[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A template of HTML. Every value that is not `Html` itself is escaped, for text and for quoted attributes alike. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(render)))
}

function render(value: Value): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.source
  if (Array.isArray(value)) return value.map((item) => item.source).join('')
  return String(value).replace(/[&<>"']/g, (character) => entities[character] ?? character)
}
