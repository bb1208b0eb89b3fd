import { consentRule } from '../../../src/consent/wording.ts'
import { consentField, kindField } from '../../../src/lead/rules.ts'
import type { LeadKind } from '../../../src/lead/submission.ts'
import { exampleLeads } from '../facts/examples.ts'
import { type FieldFact, kindFacts } from '../facts/fields.ts'

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]"
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'

/**
 * What a caller should send where the proto file's pattern takes more, or is of the value after cleaning. All patterns
 * are short, in printable ASCII, and without look-around and class escapes, so that JavaScript, Go, Python and Rust
 * read them alike.
 */
const canonicalPatterns: Readonly<Record<string, string>> = {
  phone: '^(?:\\+?1[-. ]?)?\\(?[0-9]{3}\\)?[-. ]?[0-9]{3}[-. ]?[0-9]{4}$',
  email: `^${atom}(?:\\.?${atom}){0,63}@(?:${label}\\.)+[A-Za-z]{2,63}$`,
  consentTimestamp: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]{1,9})?Z$',
  pageUrl: '^https?://[A-Za-z0-9.-]+(?::[1-5]?[0-9]{1,4})?(?:[/?#][!-\\[\\]-~]*)?$',
}

/** Something other than ASCII's white space and control characters: blank text counts as missing. */
const anyText = '[^\\x00-\\x20\\x7F-\\xA0\\xAD]'

const names = (kind: LeadKind, isListed: (field: FieldFact) => boolean) =>
  kindFacts[kind].fields.filter(isListed).map(({ name }) => name)
const required = { quote: names('quote', (one) => one.required), support: names('support', (one) => one.required) }
const inBoth = required.quote.filter((name) => required.support.includes(name))
const own = (kind: LeadKind) => required[kind].filter((name) => !inBoth.includes(name))
const list = (fields: readonly string[]) => fields.map((name) => `\`${name}\``).join(', ')

/**
 * The body of a submission, from the proto file's messages: one flat object, because bridges and tool interfaces drop
 * alternatives at the top of a schema. Its description says in words what they ignore: `if`, `then` and `else`.
 */
export function createLeadSchema(): object {
  const fields = new Map(
    (['support', 'quote'] as const).flatMap((kind) => kindFacts[kind].fields.map((one) => [one.name, one] as const)),
  )
  return {
    type: 'object',
    description: `One lead. A quote request also needs ${list(own('quote'))}; a contact message needs \`${kindField}\` "support" and ${list(own('support'))}, and has no other field. A tool that must send every field sends what it would leave out as \`""\`, and \`${consentField}\` as null.`,
    additionalProperties: false,
    required: inBoth,
    properties: {
      [kindField]: {
        type: 'string',
        enum: ['quote', 'support'],
        description: 'Absent or `quote`: a quote request. `support`: a contact message.',
        example: 'quote',
      },
      ...Object.fromEntries(names('quote', () => true).map((name) => [name, propertyOf(fields.get(name))])),
      ...Object.fromEntries(own('support').map((name) => [name, propertyOf(fields.get(name))])),
    },
    if: { required: [kindField], properties: { [kindField]: { const: 'support' } } },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
    then: only('support'),
    else: only('quote'),
  }
}

const anyOf = (fields: readonly string[]) => `^(?:${fields.join('|')})$`

/** What one kind needs. Fields of the other kind alone may only be there to be blank. */
function only(kind: LeadKind): object {
  const others = names(kind === 'quote' ? 'support' : 'quote', ({ name }) => !names(kind, () => true).includes(name))
  return {
    required: own(kind),
    patternProperties: {
      [anyOf([kindField, ...required[kind]])]: { type: ['string', 'boolean'], minLength: 1 },
      [anyOf(others)]: { type: ['string', 'null'], maxLength: 0 },
    },
  }
}

function propertyOf(field: FieldFact | undefined): object {
  if (!field) throw new Error('a field that no kind has')
  const { name, type, maxLength, mustBe, pattern: stored } = field
  // Bridges and tools drop the conditions below.
  const only = names('support', () => true).includes(name) ? 'Contact message only' : 'Quote request only'
  const kind = `${only}${field.required ? ', required' : ''}.`
  const description = inBoth.includes(name) ? field.description : `${kind} ${field.description}`
  if (type === 'boolean') {
    // The rule comes first, because a long wording is cut off.
    const text = `${kind} Only the JSON value true, for their own number. ${consentRule} The wording (version {{wordingVersion}}): "{{wording}}"`
    return { type: [type, 'null'], description: text, enum: [mustBe, null], example: mustBe }
  }
  const max = Number.isFinite(maxLength) ? maxLength : undefined
  const example = exampleLeads.quote[name] ?? exampleLeads.support[name]
  const filled = canonicalPatterns[name] ?? stored?.source ?? anyText
  // Tools that must send every field leave those that do not apply blank.
  const pattern = inBoth.includes(name) ? filled : `^$|${filled}`
  return { type, description, maxLength: max, pattern, example }
}
