import { claimDraft } from './draft.ts'
import { clean, type Input, inputs, type Kind } from './fields.ts'
import { type Answer, send } from './send.ts'
import { createWriter, make, type TextName, type Writer } from './texts.ts'
import { createView, type Field } from './view.ts'

type Fault = { field: Field; text: (string | Node)[] }

const defaultServices = 'Regular cleaning, Deep clean, Move-out cleaning, Something else'

/** A form for an element with the attributes `kind`, `services`, `texts`, `lang` and `dir`. */
export class Form {
  readonly view: ReturnType<typeof createView>
  private readonly host: HTMLElement
  private readonly kind: Kind
  private readonly writer: Writer
  /** A lead is on its way, or stored. */
  isSent = false
  draft: ReturnType<typeof claimDraft>
  /** One key for each lead: a repeated attempt has the same key, changed words get a new one. */
  private key = makeKey()
  /** When the customer ticked the box. Unknown if the browser restored the tick. */
  private consentedAt: string | undefined
  private readonly refused = new Set<string>()
  /** A link to the page can select a service: `?service=Deep clean`. */
  private readonly linked = new URLSearchParams(location.search).get('service') ?? ''

  /** `before` is the form that this one replaces. */
  constructor(host: HTMLElement, before?: Form) {
    this.host = host
    this.kind = host.getAttribute('kind') === 'support' ? 'support' : 'quote'
    this.writer = createWriter(this.kind, host.getAttribute('texts'), host.getAttribute('lang'))
    const locale = { lang: this.writer.lang, dir: host.getAttribute('dir') === 'rtl' ? 'rtl' : 'ltr' }
    const services = (host.getAttribute('services')?.trim() || defaultServices).split(',').map((name) => name.trim())
    this.view = createView(this.kind, this.writer, services.filter(Boolean), this.linked)
    const { frame, form, fields, button } = this.view
    for (const part of [frame, form]) Object.assign(part, locale)
    // A frame without `allow-forms` never submits, but clicks arrive there, even for Enter in a field.
    button.addEventListener('click', (event) => this.press(event))
    form.addEventListener('submit', (event) => this.press(event))
    form.addEventListener('input', ({ target }) => this.onInput(target))
    this.draft = claimDraft(this.kind, before?.draft.name)
    const typed = this.draft.read()
    for (const { name, control } of fields) {
      const { value } = control
      const isNewLink = value !== '' && name === 'service' && typed.linked !== this.linked
      if (typed[name] && !isNewLink) control.value = typed[name]
      // Services may arrive later than the form.
      if (!control.value) control.value = value
    }
  }

  /** Takes the draft along if the page's address has changed. Saves it then, and whenever `isNew`. */
  keepDraft(isNew = false): void {
    const { name, release } = this.draft
    release()
    this.draft = claimDraft(this.kind, name)
    if (this.isSent || (this.draft.name === name && !isNew)) return
    const typed = Object.fromEntries(this.view.fields.map(({ name, control }) => [name, control.value]))
    this.draft.write({ ...typed, linked: this.linked })
  }

  private onInput(target: EventTarget | null): void {
    const { form, fields, marked, live } = this.view
    this.key = makeKey()
    if (target instanceof HTMLInputElement && target.type === 'checkbox')
      this.consentedAt = target.checked ? new Date().toISOString() : undefined
    for (const field of fields.filter(({ control }) => control === target)) {
      if (live.textContent === field.fault.textContent) live.replaceChildren()
      clearFault(field)
    }
    if (!form.querySelector('[aria-invalid]')) marked.replaceChildren()
    this.keepDraft(true)
  }

  private async press(event: Event): Promise<void> {
    event.preventDefault()
    const { button, fields, fieldset, trap, marked, live } = this.view
    if (button.hasAttribute('aria-disabled')) return
    for (const part of [marked, live]) part.replaceChildren()
    live.classList.remove('good')
    fields.forEach(clearFault)
    const faults = this.findFaults()
    if (faults.length > 0) return this.showFaults(faults)
    // Only programs fill in this field. It is never sent.
    if (trap.value) return this.say('refused')
    // Disabling a field would take the focus away from it.
    button.focus()
    button.setAttribute('aria-disabled', 'true')
    fieldset.disabled = true
    this.isSent = true
    this.say('sending', true)
    // Orca loses what comes while it begins to say that the form is sending.
    const [answer] = await Promise.all([this.send(), new Promise((heard) => setTimeout(heard, 250))])
    this.isSent = false
    fieldset.disabled = false
    button.removeAttribute('aria-disabled')
    this.showAnswer(answer)
  }

  /** Finds missing and overlong values, and doubtful ones next to them. Doubtful values alone are for the service. */
  private findFaults(): Fault[] {
    const { write, number } = this.writer
    let isSure = false
    const faults = this.view.fields.flatMap((field): Fault | [] => {
      const { name, control } = field
      const { maxLength: max = Number.POSITIVE_INFINITY, pattern }: Input = inputs[name]
      const value = control.matches('[type=checkbox]:not(:checked)') ? '' : clean(control.value)
      const length = [...value].length
      const isMissing = value === '' && control.hasAttribute('aria-required')
      isSure ||= isMissing || length > max
      if (isMissing) return { field, text: write(`${name}.ask` as TextName) }
      if (value && pattern && !pattern.test(value)) return { field, text: write(`${name}.wrong` as TextName) }
      return length > max ? { field, text: write('length', { length: number(length), most: number(max) }) } : []
    })
    return isSure ? faults : []
  }

  /** Sends the lead, and once more without the extras that the service refuses, if these alone are at fault. */
  private async send(): Promise<Answer> {
    const lead: Record<string, string | boolean> = {}
    for (const { name, control } of this.view.fields) {
      const value = clean(control.value)
      if (value) lead[name] = value
    }
    if (this.kind === 'support') return send({ ...lead, formType: 'support' }, { 'Idempotency-Key': this.key })
    /** Extras are what no customer can correct. A frame from `srcdoc` has no address. */
    const extras = {
      consentTimestamp: this.consentedAt,
      pageUrl: location.protocol.startsWith('http') ? location.origin + location.pathname : undefined,
      'Consent-Version': deployment.wordingVersion as string | undefined,
    }
    const attempt = () => {
      for (const name of this.refused) extras[name as keyof typeof extras] = undefined
      const { 'Consent-Version': version, ...members } = extras
      const headers = { 'Idempotency-Key': this.key, ...(version && { 'Consent-Version': version }) }
      return send({ ...lead, communicationsConsent: true, ...members }, headers)
    }
    const answer = await attempt()
    const refused = (answer?.faults ?? []).map(({ name }) => name)
    const dropped = refused.filter((name) => Object.keys(extras).includes(name))
    for (const name of dropped) this.refused.add(name)
    return refused.length > 0 && refused.length === dropped.length ? attempt() : answer
  }

  private showAnswer(answer: Answer): void {
    const { fields, live } = this.view
    const { texts, write } = this.writer
    const refused = (answer?.faults ?? []).filter(({ name }) => !this.refused.has(name))
    const isText = (name: string) => typeof texts[name as TextName] === 'string'
    /** Another release of the service may name what this form does not know. */
    let isKnown = true
    const faults = refused.flatMap(({ name, code }): Fault | [] => {
      const field = fields.find((one) => one.name === name)
      const own = code.startsWith('invalid') ? `${name}.wrong` : code
      const text = [own, `${name}.ask`].find(isText)
      isKnown &&= field !== undefined && (isText(own) || /^(invalid|required|consent_required)/.test(code))
      return field && text && code !== 'unknown_field' ? { field, text: write(text as TextName) } : []
    })
    if (!answer) this.say('away')
    else if (answer.status < 300 && answer.id) this.showThanks(answer.id, answer.status === 201)
    else if (answer.retryable) this.wait(answer.seconds || 5)
    else if (faults.length === 0 || !isKnown) this.say('refused')
    else live.replaceChildren()
    if (faults.length > 0) this.showFaults(faults)
  }

  private showThanks(id: string, isNew: boolean): void {
    this.isSent = true
    this.draft.clear()
    const { texts } = this.writer
    const { frame, form, live } = this.view
    const number = make('p', { class: 'number', tabindex: -1 }, id)
    live.className = ''
    live.replaceChildren(make('h2', {}, `${texts[`${this.kind}.thanks`]} ${texts.number}`))
    live.after(number)
    frame.classList.add('done')
    form.remove()
    number.focus()
    // For tag managers and analytics. With a 200, the same request had been stored, and counted, before.
    const detail = { kind: this.kind, id }
    if (isNew) this.host.dispatchEvent(new CustomEvent('lead-sent', { bubbles: true, composed: true, detail }))
  }

  private showFaults(faults: Fault[]): void {
    const { marked, button, live } = this.view
    for (const { field, text } of faults) {
      field.fault.replaceChildren(...text)
      field.control.setAttribute('aria-invalid', 'true')
    }
    const { control, fault } = (faults[0] as Fault).field
    // Screen readers read what gets the focus, but not again where it stays.
    if (control.matches(':focus')) live.textContent = fault.textContent
    else marked.replaceChildren(this.writer.texts.marked)
    button.scrollIntoView({ block: 'nearest' })
    control.focus()
  }

  private say(name: TextName, isGood = false): void {
    const { live } = this.view
    live.classList.toggle('good', isGood)
    // As one text, because Orca reads only some of several texts and links. The links appear below.
    live.textContent = make('p', {}, ...this.writer.write(name)).textContent
    if (!isGood) live.scrollIntoView({ block: 'nearest' })
  }

  /** Shows a countdown, enables the button when another attempt can succeed, and says so. */
  private wait(seconds: number): void {
    const { button, countdown } = this.view
    const until = Date.now() + seconds * 1000
    this.say('wait')
    button.setAttribute('aria-disabled', 'true')
    const tick = () => {
      const left = Math.ceil((until - Date.now()) / 1000)
      if (left > 0) {
        const [value, unit] = left > 120 ? [Math.ceil(left / 60), 'minute'] : [left, 'second']
        const text = this.writer.number(value, { style: 'unit', unit, unitDisplay: 'long' })
        countdown.replaceChildren(...this.writer.write('countdown', { left: text }))
        setTimeout(tick, 250)
      } else {
        countdown.replaceChildren()
        button.removeAttribute('aria-disabled')
        this.say('again', true)
      }
    }
    tick()
  }
}

function clearFault({ control, fault }: Field): void {
  fault.replaceChildren()
  control.removeAttribute('aria-invalid')
}

/** 128 random bits. A page without https has no `crypto.randomUUID`. */
const makeKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-')
