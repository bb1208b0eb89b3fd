import { type FieldName, type Input, inputs, type Kind, layouts } from './fields.ts'
import { make, type TextName, type Writer } from './texts.ts'

export type Field = ReturnType<typeof makeField>

export function createView(kind: Kind, writer: Writer, services: readonly string[], linked: string) {
  const { texts, write } = writer
  const fields: Field[] = []
  const wanted = linked.trim().toLowerCase()
  const makeOption = (value: string) =>
    make('option', { value, selected: value.toLowerCase() === wanted }, value || texts['service.choose'])
  const addField = (name: FieldName): HTMLElement => {
    const field = makeField(kind, name, writer)
    if (name === 'service') field.control.append(...['', ...services].map(makeOption))
    fields.push(field)
    return field.element
  }
  const trap = make('input', { tabindex: -1, 'data-trap': true })
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
  /** Not spoken: each marked field says what is wrong when it gets the focus. */
  const marked = make('p', { class: 'message' })
  const button = make('button', { type: 'submit' }, texts[`${kind}.send`])
  /** Next to the button, because as part of its name, every second would be spoken. */
  const countdown = make('span', { class: 'help' })
  const end = make('p', {}, button, countdown)
  const form = make('form', { 'aria-label': texts[`${kind}.title`], novalidate: true }, fieldset, marked, end)
  /**
   * Says what happens. Screen readers announce only an element that was there before its text, and stays. Not the role
   * `status`: for any of them, Orca reads the first one that Firefox has, perhaps the receipt of another tab.
   */
  const live = make('div', { class: 'message', 'aria-live': 'polite' })
  const frame = make('div', { class: 'frame' }, form, live, make('p', { class: 'help' }, ...write('rather')))
  return { frame, form, fields, fieldset, trap, marked, live, button, countdown }
}

function makeField(kind: Kind, name: FieldName, { texts }: Writer) {
  const { tag, type, autocomplete }: Input = inputs[name]
  const id = `${kind}-${name}`
  const helpText = texts[`${name}.help` as TextName]
  const control = make(tag, {
    id,
    name,
    type,
    autocomplete,
    // Screen readers call an empty field with `required` invalid before anyone has touched it.
    'aria-required': `${name}.ask` in texts && 'true',
    'aria-describedby': helpText ? `${id}-help ${id}-fault` : `${id}-fault`,
  })
  const fault = make('p', { class: 'fault', id: `${id}-fault` })
  const help = helpText ? [make('p', { class: 'help', id: `${id}-help` }, helpText)] : []
  const makeLabel = (text: string, locale = {}) => make('label', { for: id, ...locale }, text)
  if (name !== 'communicationsConsent') {
    const element = make('div', { class: 'field' }, makeLabel(texts[name]), control, ...help, fault)
    return { name, control, fault, element }
  }
  // A translation counts only while the version that it translates is in force.
  const translation = texts['consent-version'] === deployment.wordingVersion && texts.consent
  const label = translation ? makeLabel(translation) : makeLabel(deployment.wording, { lang: 'en', dir: 'ltr' })
  return { name, control, fault, element: make('div', { class: 'field consent' }, control, label, fault) }
}
