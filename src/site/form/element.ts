import { make } from './dom.ts'
import { Form } from './form.ts'

/** The attributes of `<lead-form>`. On a `<div data-lead-form>`, all but `lang` and `dir` begin with `data-`. */
const options = ['kind', 'services', 'texts', 'lang', 'dir']

class LeadForm extends HTMLElement {
  static readonly observedAttributes = options

  connectedCallback() {
    if (!this.shadowRoot) this.show()
  }

  /** Some editors set attributes later. */
  attributeChangedCallback(_name: string, before: string | null, now: string | null) {
    if (this.shadowRoot && before !== now) this.show()
  }

  private show() {
    const root = this.shadowRoot ?? attachStyledRoot(this)
    root.querySelector('form, .done')?.remove()
    root.append(new Form(this).view.form)
  }
}

/** A constructed style sheet needs no permission from the website's content security policy. */
function attachStyledRoot(host: HTMLElement): ShadowRoot {
  const root = host.attachShadow({ mode: 'open' })
  if (document.adoptedStyleSheets) {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(styleText)
    root.adoptedStyleSheets = [sheet]
  } else {
    // Safari before 16.4.
    root.append(make('style', {}, styleText))
  }
  return root
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

// A page may load the script twice.
if (!customElements.get('lead-form')) customElements.define('lead-form', LeadForm)
if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', replaceDivs)
else replaceDivs()
