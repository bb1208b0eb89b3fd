import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { transformSync } from 'esbuild'
import { createConsentTexts } from '../../src/consent/wording.ts'
import { leadRules } from '../../src/lead/rules.ts'
import { type Input, inputs, layouts } from '../../src/site/form/fields.ts'
import english from '../../src/site/form/texts.json' with { type: 'json' }
import { createContext, documentsOf } from './context.ts'

/** The texts of the Spanish sample, as the owner of a website copies them. */
function spanishTexts(changes: Parameters<typeof documentsOf>[0] = {}): Record<string, string> {
  const { markdown } = documentsOf(changes)('/website-forms')
  const json = /texts='(\{[^']*\})'/.exec(markdown)?.[1]
  assert(json, 'no apostrophe ends the attribute early')
  return JSON.parse(json)
}

const placeholdersOf = (text: string) => (text.match(/%\w+%/g) ?? []).sort()

suite('the script of the website forms', () => {
  test('has an input for every field that a customer fills in, with its length', () => {
    for (const kind of ['quote', 'support'] as const) {
      const others = ['formType', 'consentTimestamp', 'pageUrl']
      const rules = leadRules[kind].filter(({ name, announced }) => announced && !others.includes(name))
      assert.deepEqual(layouts[kind].flat().sort(), rules.map(({ name }) => name).sort())
      // The length of the others is a matter of their form, and the service says so.
      for (const { name, maxLength } of rules) {
        const input: Input = inputs[name as keyof typeof inputs]
        if (input.maxLength !== undefined) assert.equal(input.maxLength, maxLength, name)
      }
    }
  })

  test('has less than 9 kB, never writes HTML, and runs in Safari 15: no newer syntax, and no newer function', () => {
    const { body } = documentsOf()('/website-forms.js')
    assert(gzipSync(body).length < 9_000, `${gzipSync(body).length}`)
    assert.doesNotMatch(body, /innerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/)
    const written = (target: string) => transformSync(body, { target, charset: 'utf8' }).code
    assert.equal(written('safari15'), written('esnext'))
    assert.doesNotMatch(body, /AbortSignal\.(timeout|any)|\.at\(|hasOwn\b|structuredClone|findLast|color-mix|:has\(/)
  })

  test('is whole, even if the name of the business has a tag that ends scripts', () => {
    const business = { ...createContext().business, name: `"Joe's" </script> \`\${x}\` \u2028 {{y}} & Sons` }
    const consent = createConsentTexts(business)
    const { body } = documentsOf({ business, consent })('/website-forms.js')
    // The bundle is called with the values.
    const values = new Function(body.replace(/^\(deployment=>\{[\s\S]*\}\)\(/, 'return ('))()
    assert.equal(values.wording, consent.wording.text.replace(/\s+/g, ' '))
    assert(spanishTexts({ business, consent }).consent?.includes(`"Joe's" </script>`))
  })

  test('speaks Spanish in a sample that translates every text, with its placeholders', () => {
    const { consent, 'consent-version': version, ...texts } = spanishTexts()
    assert.deepEqual(Object.keys(texts), Object.keys(english))
    for (const [name, text] of Object.entries<string>(english))
      assert.deepEqual(placeholdersOf(texts[name] ?? ''), placeholdersOf(text), name)
    assert.equal(version, createContext().consent.wording.version)
    assert(consent?.includes('Bright Home Cleaning') && consent.includes('(202) 555-0100'))
    const { business } = createContext()
    // The wording that it translates. With it, change src/site/content/samples/lead-form-es.html.
    assert.equal(
      createConsentTexts({ ...business, name: 'NAME', phone: 'PHONE' }).wording.text,
      'I ask NAME to contact me by phone, text message or e-mail about this request, at the phone number and e-mail address I give here. This is not a condition of any purchase. I can stop it at any time and in any reasonable way, such as replying STOP or calling PHONE.',
    )
    const own = createConsentTexts(business, 'Write to me.')
    assert.equal(spanishTexts({ consent: own }).consent, undefined, "no one has translated the business's own wording")
  })
})
