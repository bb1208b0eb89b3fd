import { Form } from './form.ts'
import { make } from './texts.ts'

/** The text of `style.css`, which the bundler inserts. */
declare const styleText: string
/** The attributes of `<lead-form>`. On a `<div data-lead-form>`, all but `lang` and `dir` begin with `data-`. */
const options = ['kind', 'services', 'texts', 'lang', 'dir']

/** Events that stay inside: the page sees the host as their target, and may have shortcuts outside of its fields. */
const innerEvents =
  'keydown keypress keyup mousedown pointerdown touchstart selectstart copy cut paste contextmenu'.split(' ')

class LeadForm extends HTMLElement {
  static readonly observedAttributes = options
  private form?: Form

  connectedCallback() {
    if (this.form) this.form.keepDraft()
    else this.show()
  }

  disconnectedCallback() {
    this.form?.draft.release()
  }

  /** Some pages set attributes later. A lead on its way, and its receipt, stay. */
  attributeChangedCallback(name: string, before: string | null, now: string | null) {
    if (this.form && before !== now && (name === 'kind' || !this.form.isSent)) this.show()
  }

  /** If this fails, the page keeps what it shows without a form. A customer who is typing continues in the new one. */
  private show() {
    this.form?.draft.release()
    const next = new Form(this, this.form)
    const { id } = this.shadowRoot?.activeElement ?? {}
    if (this.form) this.form.view.frame.replaceWith(next.view.frame)
    else attachStyledRoot(this).append(next.view.frame)
    this.form = next
    if (!this.isConnected) next.draft.release()
    if (id) next.view.fields.find(({ control }) => control.id === id)?.control.focus()
  }
}

/** A constructed style sheet, from Safari 16.4, needs no permission from the website's content security policy. */
function attachStyledRoot(host: HTMLElement): ShadowRoot {
  const root = host.attachShadow({ mode: 'open' })
  for (const type of innerEvents) root.addEventListener(type, keepInside, { passive: true })
  if (document.adoptedStyleSheets) {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(styleText)
    root.adoptedStyleSheets = [sheet]
  } else {
    root.append(make('style', {}, styleText))
  }
  return root
}

/** Escape closes the page's dialogs, and Tab stays in them. */
function keepInside(event: Event) {
  if (!/^(Escape|Tab)$/.test((event as KeyboardEvent).key)) event.stopPropagation()
}

/** For editors that remove unknown elements: puts the element into each `<div data-lead-form>`. */
function replaceDivs() {
  for (const div of document.querySelectorAll('div[data-lead-form]')) {
    if (div.querySelector('lead-form')) continue
    const form = document.createElement('lead-form')
    for (const name of [...options, 'scheme']) {
      const value = div.getAttribute(`data-${name}`) ?? div.getAttribute(name)
      if (value !== null) form.setAttribute(name, value)
    }
    div.replaceChildren(form)
  }
}

/** Not while the page is parsed: the parser would add the rest of a `<div>` to it. */
function watchDivs() {
  replaceDivs()
  new MutationObserver(replaceDivs).observe(document, { childList: true, subtree: true })
}

// A page may load the script twice.
if (!customElements.get('lead-form')) {
  customElements.define('lead-form', LeadForm)
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', watchDivs)
  else watchDivs()
}
