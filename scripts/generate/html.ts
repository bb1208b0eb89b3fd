import { escapeHtml } from '../../src/safe-text.ts'

/** A piece of HTML that needs no escaping. */
export class Html {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

type Value = string | number | Html | undefined | readonly Html[]

/** An HTML template. Escapes all values except `Html`. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(render)))
}

function render(value: Value): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.source
  return Array.isArray(value) ? value.map((item) => item.source).join('') : escapeHtml(String(value))
}
