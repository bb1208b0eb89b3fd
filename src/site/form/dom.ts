export type Content = string | Node

/** Makes an element. Not by `innerHTML`, which Trusted Types forbid. */
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

let sheet: CSSStyleSheet | undefined

/** Gives an element a shadow tree with our style. A constructed style sheet needs no permission of the website's policy. */
export function attachStyledRoot(host: HTMLElement): ShadowRoot {
  const root = host.attachShadow({ mode: 'open' })
  try {
    if (!sheet) {
      sheet = new CSSStyleSheet()
      sheet.replaceSync(styleText)
    }
    root.adoptedStyleSheets = [sheet]
  } catch {
    // Safari before 16.4.
    root.append(make('style', {}, styleText))
  }
  return root
}
