import { type Content, make } from './dom.ts'
import { type FieldName, type Input, inputs, type Kind, layouts } from './fields.ts'
import type { TextName } from './texts.ts'
import type { Writer } from './writer.ts'

export interface Field {
  name: FieldName
  control: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement
  /** What is wrong with the value. */
  fault: HTMLElement
}

export type View = ReturnType<typeof createView>

/** Makes the elements of a form. */
export function createView(kind: Kind, writer: Writer, services: readonly string[]) {
  const { texts, write } = writer
  const fields: Field[] = []
  const addField = (name: FieldName): HTMLElement => {
    const { element, ...field } = makeField(kind, name, writer)
    fields.push({ name, ...field })
    if (name === 'service') field.control.append(...makeOptions(services, texts['service.choose']))
    return element
  }
  const trap = make('input', { tabindex: -1, autocomplete: 'off', 'data-trap': true })
  const fieldset = make(
    'fieldset',
    {},
    make('p', { class: 'help' }, texts.required),
    ...layouts[kind].map((part) =>
      typeof part === 'string' ? addField(part) : make('div', { class: 'pair' }, ...part.map(addField)),
    ),
    make('div', { class: 'trap', 'aria-hidden': 'true' }, make('label', {}, 'Leave this empty ', trap)),
    make('p', { class: 'help' }, ...write('small')),
  )
  /** Only seen: each field that is marked says itself what is wrong, when it gets the focus. */
  const marked = make('p', { class: 'message' })
  const alert = make('p', { class: 'message', role: 'alert' })
  const status = make('p', { class: 'message good', role: 'status' })
  const button = make('button', { type: 'submit' }, texts[`${kind}.send`])
  /** Next to the button: as a part of its name, each second would be spoken. */
  const countdown = make('span', { class: 'help' })
  const form = make(
    'form',
    { 'aria-label': texts[`${kind}.title`], novalidate: true },
    ...[fieldset, marked, alert, status, make('p', {}, button, countdown)],
    make('p', { class: 'help' }, ...write('rather')),
  )
  return { form, fields, fieldset, trap, marked, alert, status, button, countdown }
}

function makeField(kind: Kind, name: FieldName, { texts }: Writer) {
  const { tag, type, autocomplete = 'off', isOptional }: Input = inputs[name]
  const id = `${kind}-${name}`
  const help = texts[`${name}.help` as TextName]
  const control = make(tag, {
    ...{ id, name, type, required: !isOptional },
    autocomplete: tag === 'input' && autocomplete,
    'aria-describedby': help ? `${id}-help ${id}-fault` : `${id}-fault`,
  })
  const fault = make('p', { class: 'fault', id: `${id}-fault` })
  if (name === 'communicationsConsent') {
    // A translation counts only while the version that it translates is in force.
    const translation = texts['consent-version'] === deployment.wordingVersion ? texts.consent : undefined
    const label = translation
      ? make('label', { for: id }, translation)
      : make('label', { for: id, lang: 'en', dir: 'ltr' }, deployment.wording)
    return { control, fault, element: make('div', { class: 'field consent' }, control, label, fault) }
  }
  const star = isOptional ? [] : [' ', make('span', { 'aria-hidden': 'true' }, '*')]
  const label = make('label', { for: id }, texts[name], ...star)
  const below = help ? [make('p', { class: 'help', id: `${id}-help` }, help), fault] : [fault]
  return { control, fault, element: make('div', { class: 'field' }, label, control, ...below) }
}

/** The list of services. A link to the page can choose one: `?service=Deep clean`. */
function makeOptions(services: readonly string[], choose: string): Content[] {
  const wanted = new URLSearchParams(location.search).get('service')?.trim().toLowerCase()
  return ['', ...services].map((value) =>
    make('option', { value, selected: value !== '' && value.toLowerCase() === wanted }, value || choose),
  )
}

/** What takes the place of the form when a lead is stored. The title is there to get the focus, and so to be spoken. */
export function makeThanks(kind: Kind, { texts }: Writer, id: string) {
  const title = make('h2', { tabindex: -1 }, texts[`${kind}.thanks`])
  const element = make('div', { class: 'done' }, title, make('p', {}, texts.number), make('p', { class: 'number' }, id))
  return { element, title }
}
