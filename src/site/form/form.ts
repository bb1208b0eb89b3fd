import { attachStyledRoot, type Content } from './dom.ts'
import { createDraft } from './draft.ts'
import { clean, type Input, inputs, type Kind, readCount, readPhone } from './fields.ts'
import { type Answer, makeKey, send } from './send.ts'
import { readTexts, type TextName, warn } from './texts.ts'
import { createView, type Field, makeThanks, type View } from './view.ts'
import { createWriter, validLanguage, type Writer } from './writer.ts'

interface Fault {
  field: Field
  text: Content[]
}

/** What no customer can correct: if the service refuses it, the lead is sent without it. */
const extras = ['consentTimestamp', 'pageUrl', 'Consent-Version']

const defaultServices = ['Regular cleaning', 'Deep clean', 'Move-out cleaning', 'Something else']

let formCount = 0

/** Shows a form in the shadow tree of an element, in place of one that is there. */
export function showForm(host: HTMLElement): void {
  const root = host.shadowRoot ?? attachStyledRoot(host)
  root.querySelector('form, .done')?.remove()
  root.append(new Form(host).view.form)
}

class Form {
  readonly view: View
  private readonly host: HTMLElement
  private readonly kind: Kind
  private readonly writer: Writer
  private readonly locale: { lang: string; dir: string }
  private readonly draft: ReturnType<typeof createDraft>
  /** One key for each lead: a repeated attempt has the same key, changed words get a new one. */
  private key: string | undefined
  /** When the customer ticked the box. Undefined after the browser restored the tick: no one knows when that was. */
  private consentedAt: string | undefined
  /** The extras that the service has refused. */
  private readonly refused = new Set<string>()

  constructor(host: HTMLElement) {
    this.host = host
    const kind = host.getAttribute('kind') ?? 'quote'
    this.kind = kind === 'support' ? 'support' : 'quote'
    if (this.kind !== kind)
      warn(`kind="${kind}" is unknown, so this is a quote form. The kinds are "quote" and "support".`)
    const texts = host.getAttribute('texts')
    // Without texts of its own, it is in English, whatever the language of the page.
    const lang = texts === null ? 'en' : validLanguage(host.getAttribute('lang'))
    this.locale = { lang, dir: host.getAttribute('dir') === 'rtl' ? 'rtl' : 'ltr' }
    this.writer = createWriter(this.kind, readTexts(texts), lang)
    const given = (host.getAttribute('services') ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean)
    const services = given.length > 0 ? given : defaultServices
    if (this.kind === 'quote' && services === defaultServices)
      warn(`services="…" is missing, so the form offers: ${services.join(', ')}`)
    this.view = createView(this.kind, this.writer, services)
    const { form, button } = this.view
    Object.assign(form, this.locale)
    // A frame without `allow-forms` never submits. Clicks arrive there too, and Enter in a field makes one.
    button.addEventListener('click', (event) => this.press(event))
    form.addEventListener('submit', (event) => this.press(event))
    form.addEventListener('input', ({ target }) => this.onInput(target))
    form.addEventListener('change', ({ target }) => {
      if (target instanceof HTMLInputElement && target.type === 'checkbox')
        this.consentedAt = target.checked ? new Date().toISOString() : undefined
    })
    this.draft = createDraft(`${this.kind} ${formCount++}`)
    const typed = this.draft.read()
    for (const { name, control } of this.typedFields) if (typed[name]) control.value = typed[name]
  }

  /** The fields that are typed or chosen, not ticked. */
  private get typedFields(): Field[] {
    return this.view.fields.filter(({ control }) => control.type !== 'checkbox')
  }

  private onInput(target: EventTarget | null): void {
    this.key = undefined
    for (const field of this.view.fields) if (field.control === target) clearFault(field)
    if (!this.view.form.querySelector('[aria-invalid]')) this.view.marked.replaceChildren()
    this.draft.save(Object.fromEntries(this.typedFields.map(({ name, control }) => [name, control.value])))
  }

  private async press(event: Event): Promise<void> {
    event.preventDefault()
    const { button, fields, trap, marked, alert, status } = this.view
    if (button.hasAttribute('aria-disabled')) return
    for (const part of [marked, alert, status]) part.replaceChildren()
    fields.forEach(clearFault)
    const faults = this.findFaults()
    if (faults.length > 0) return this.showFaults(faults)
    // Only programs fill this in. It is never sent.
    if (trap.value) return this.say(alert, 'refused')
    this.key ??= makeKey()
    // Before the fields are disabled, because one of them may have the focus.
    button.focus()
    this.enable(false)
    this.say(status, 'sending')
    let answer = await this.send()
    const refused = codesOf(answer).map(({ name }) => name)
    for (const name of refused) if (extras.includes(name)) this.refused.add(name)
    if (refused.length > 0 && refused.every((name) => extras.includes(name))) answer = await this.send()
    status.replaceChildren()
    this.enable(true)
    this.showAnswer(answer)
  }

  private enable(yes: boolean): void {
    this.view.fieldset.disabled = !yes
    // Not `disabled`, which takes the focus away.
    if (yes) this.view.button.removeAttribute('aria-disabled')
    else this.view.button.setAttribute('aria-disabled', 'true')
  }

  /** What is missing or too long is shown without a request, and then with it what the service will not take. */
  private findFaults(): Fault[] {
    const { write, number } = this.writer
    const wrong: Fault[] = []
    const faults = this.view.fields.flatMap((field): Fault | [] => {
      const { name, control } = field
      const { most = Number.POSITIVE_INFINITY, needs }: Input = inputs[name]
      const value = control.type === 'checkbox' && !(control as HTMLInputElement).checked ? '' : clean(control.value)
      if (value === '') return control.required ? { field, text: write(`${name}.ask` as TextName) } : []
      if (needs && !needs.test(value)) wrong.push({ field, text: write(`${name}.wrong` as TextName) })
      const length = [...value].length
      return length > most ? { field, text: write('length', { length: number(length), most: number(most) }) } : []
    })
    return faults.length > 0
      ? this.view.fields.flatMap((field) => [...faults, ...wrong].filter((fault) => fault.field === field))
      : []
  }

  /** The lead, which has no other names than those of the fields, and the extras. */
  private readLead(): Record<string, string | boolean> {
    const lead: Record<string, string | boolean> = this.kind === 'support' ? { formType: 'support' } : {}
    for (const { name, control } of this.view.fields) {
      const value = clean(control.value)
      if (value !== '')
        lead[name] = name === 'phone' ? readPhone(value) : 'isCount' in inputs[name] ? readCount(value) : value
    }
    if (this.kind === 'support') return lead
    lead.communicationsConsent = true
    if (this.consentedAt && !this.refused.has('consentTimestamp')) lead.consentTimestamp = this.consentedAt
    // A frame from `srcdoc` has no address.
    if (location.protocol.startsWith('http') && !this.refused.has('pageUrl'))
      lead.pageUrl = location.origin + location.pathname
    return lead
  }

  private send(): Promise<Answer> {
    const isStated = this.kind === 'quote' && !this.refused.has('Consent-Version')
    return send(deployment.baseUrl, this.readLead(), {
      'Idempotency-Key': this.key ?? '',
      ...(isStated && { 'Consent-Version': deployment.wordingVersion }),
    })
  }

  private showAnswer(answer: Answer): void {
    const { alert, fields } = this.view
    const { texts, write } = this.writer
    const faults = codesOf(answer).flatMap(({ name, code }) => {
      const field = fields.find((one) => one.name === name)
      const candidates = code.startsWith('invalid') ? [`${name}.wrong`, code] : [code]
      const text = candidates.find((one) => one in texts) ?? `${name}.ask`
      return field ? { field, text: write(text as TextName) } : []
    })
    if (!answer) this.say(alert, 'away')
    else if (answer.status < 300 && answer.body.id) this.showThanks(answer.body.id, answer.status === 201)
    else if (faults.length > 0) this.showFaults(faults)
    else if (answer.body.retryable) this.wait(answer.seconds || 5)
    else this.say(alert, 'refused')
  }

  private showThanks(id: string, isNew: boolean): void {
    this.draft.forget()
    const { element, title } = makeThanks(this.kind, this.writer, id)
    this.view.form.replaceWith(Object.assign(element, this.locale))
    title.focus()
    // For tag managers and analytics. A 200 means that the same request was stored, and counted, before.
    const detail = { kind: this.kind, id }
    if (isNew) this.host.dispatchEvent(new CustomEvent('lead-sent', { bubbles: true, composed: true, detail }))
  }

  private showFaults(faults: Fault[]): void {
    for (const { field, text } of faults) {
      field.fault.replaceChildren(...text)
      field.control.setAttribute('aria-invalid', 'true')
    }
    this.say(this.view.marked, 'marked')
    this.view.button.scrollIntoView({ block: 'nearest' })
    faults[0]?.field.control.focus()
  }

  private say(where: HTMLElement, name: TextName): void {
    where.replaceChildren(...this.writer.write(name))
  }

  /** Shows a countdown, enables the button when another attempt can succeed, and says so. */
  private wait(seconds: number): void {
    const { alert, status, button, countdown } = this.view
    const until = Date.now() + seconds * 1000
    this.say(alert, 'wait')
    button.setAttribute('aria-disabled', 'true')
    const tick = () => {
      const left = Math.ceil((until - Date.now()) / 1000)
      if (left > 0) {
        const [value, unit] = left > 120 ? [Math.ceil(left / 60), 'minute'] : [left, 'second']
        const text = this.writer.number(value, { style: 'unit', unit, unitDisplay: 'long' })
        countdown.replaceChildren(...this.writer.write('countdown', { left: text }))
        setTimeout(tick, 250)
      } else {
        for (const part of [countdown, alert]) part.replaceChildren()
        button.removeAttribute('aria-disabled')
        this.say(status, 'again')
      }
    }
    tick()
  }
}

function clearFault({ control, fault }: Field): void {
  fault.replaceChildren()
  control.removeAttribute('aria-invalid')
}

/** The codes of an answer, by the name of the field or header that they are about. */
function codesOf(answer: Answer): { name: string; code: string }[] {
  if (answer?.body.code === 'body_too_large') return ['notes', 'message'].map((name) => ({ name, code: 'too_long' }))
  return (answer?.body.errors ?? []).map(({ pointer, code }) => ({ name: decodeURIComponent(pointer.slice(2)), code }))
}
