import { showForm } from './form.ts'

/** The attributes of `<lead-form>`, with `scheme`, which only the style reads. In a `<div data-lead-form>`, all but `lang` and `dir` begin with `data-`. */
const options = ['kind', 'services', 'texts', 'lang', 'dir']

class LeadForm extends HTMLElement {
  static readonly observedAttributes = options

  connectedCallback() {
    if (!this.shadowRoot) showForm(this)
  }

  /** Some editors set the attributes later. */
  attributeChangedCallback(_name: string, before: string | null, now: string | null) {
    if (this.shadowRoot && before !== now) showForm(this)
  }
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
