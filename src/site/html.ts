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

/** Text for HTML, good in text and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] as string)
}

/** A template of HTML. Every value that is not `Html` itself is escaped. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(render)))
}

function render(value: Value): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.source
  return Array.isArray(value) ? value.map((item) => item.source).join('') : escapeHtml(String(value))
}
