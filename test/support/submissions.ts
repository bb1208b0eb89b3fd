// Valid bodies of both kinds, and every way to violate the field table (docs/specification.md §4), as in REST. The
// tests of the domain and those that compare REST with RPC share this table.
import assert from 'node:assert/strict'
import { checkLead } from '../../src/lead/check.ts'
import { LeadError } from '../../src/lead/error.ts'

export type Body = Record<string, unknown>

/** The clock of the tests that need one: shortly after the examples' times. */
export const nowMs = Date.parse('2026-11-21T09:30:00.000Z')

export const quote: Body = {
  name: 'Pat Example',
  phone: '(202) 555-0123',
  email: 'Pat.Example@Example.COM',
  bedrooms: '3',
  bathrooms: '2.5',
  service: 'Deep clean',
  notes: 'Two cats.\nTwo floors.',
  communicationsConsent: true,
  consentTimestamp: '2026-11-21T09:29:00Z',
  pageUrl: 'https://www.example.com/quote?from=home',
}

export const contact: Body = {
  formType: 'support',
  name: 'Robin Example',
  email: 'robin@example.org',
  phone: '202-555-0145',
  helpWith: 'A visit',
  message: 'Please call me back.',
}

let made = 0
/** A body that is no duplicate of another one. */
export function unique(body = quote): Body {
  return { ...body, ['message' in body ? 'message' : 'notes']: `Made ${++made}` }
}

/** Details that a service with real leads accepts. Fictional: 555 is assigned to no one, `.internal` is not public. */
export const realBusiness = {
  BUSINESS_NAME: 'Sample Cleaning',
  BUSINESS_PHONE: '(202) 555-2368',
  BUSINESS_EMAIL: 'office@sample-cleaning.internal',
  BUSINESS_SERVICE_AREA: 'Sample County',
  BUSINESS_POSTAL_ADDRESS: '1 Sample Street, Sampletown',
}

/** Changes to a valid body. A member set to undefined is removed. */
export interface Case {
  title: string
  change: Body
  base?: Body
}

interface BadCase extends Case {
  /** The entries of `errors`, as pointer and code. */
  errors: [pointer: string, code: string][]
  code?: string
  /** Only expressible in JSON: protobuf messages are typed, and handle unknown fields themselves. */
  onlyJson?: boolean
}

/** Invisible characters, which are removed wherever they appear. */
export const unseen = [
  ...'\u0000\u0007\u001b\u007f\u0080\u009f\u00ad\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e',
  ...'\u2060\u2064\u2066\u2067\u2068\u2069\ufeff\u{e0000}\u{e0041}\u{e007f}',
]
const joiners = [...'\u200c\u200d']
/** White space of every kind, and what else is removed around a value. */
const edges = [...'\t\n\v\f\r \u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000', ...unseen, ...joiners]
const long = (length: number, text = 'x') => text.repeat(length)
/** The values in a text: those without white space, and those between bars and in lines. */
const list = (text: string) => text.trim().split(/\s+/)
const lines = (text: string) => text.trim().split(/ \| |\n */)
const good = (field: string, values: unknown[], base = quote): Case[] =>
  values.map((value) => ({ title: `${field} ${JSON.stringify(value).slice(0, 60)}`, change: { [field]: value }, base }))
const bad = (field: string, code: string, values: unknown[], base = quote): BadCase[] =>
  values.map((value) => ({
    title: `${field} ${JSON.stringify(value)?.slice(0, 60)} is ${code}`,
    change: { [field]: value },
    base,
    errors: [[`#/${field}`, code]],
    onlyJson: typeof value !== 'string' && value !== undefined,
  }))
const badJson: typeof bad = (...given) => bad(...given).map((entry) => ({ ...entry, onlyJson: true }))

const texts: [field: string, base: Body, max: number][] = [
  ['name', quote, 200],
  ['service', quote, 100],
  ['notes', quote, 5000],
  ['name', contact, 200],
  ['helpWith', contact, 100],
  ['message', contact, 5000],
]

export const goodCases: Case[] = [
  { title: 'a quote request', change: {} },
  { title: 'a quote request that says so', change: { formType: 'quote' } },
  { title: 'a contact message', change: {}, base: contact },
  { title: 'a page whose address has a number', change: { pageUrl: 'https://example.com/?4111111111111111' } },
  { title: 'a quote request without the optional fields', change: { consentTimestamp: undefined, pageUrl: undefined } },
  ...good('name', ['👩‍👧‍👦 Zoë', '  padded  ', long(200, '🧽'), "Zoë O'Neill-García", '李小龍']),
  ...good('phone', [
    ...list(
      '2025550123 +12025550123 (202)555.0123 202-555-0123 1-202-555-0123 +1(202)5550123 2025550123.0 202-555-0123.0',
    ),
    ...[...'\u2010\u2011\u2012\u2013\u2014\u2015\u2212'].map((dash) => `+1${dash}202${dash}555${dash}0123`),
    ...['\u202a+1 202-555-0123\u202c', '\u2066(202) 555-0123\u2069', '\u061c\u200e2025550123\u200f'],
    ...[...'\u00a0\u2007\u202f\u2009\t/·~.', '\ufe0f', unseen.join('')].map((inside) => `202${inside}555${inside}0123`),
    ...[' TEL: (202) 555-0123', '\u200btel:202-555-0123'],
    ...lines(`
      1 202 555 0123 | +1 (202) 555-0123 | 1(202)555 0123 | (202)  555 – 0123 | [202]「555」0123 | 202ー555∙0123
      ٢٠٢٥٥٥٠١٢٣ | २०२-५५५-०१२३ | 𝟚𝟘𝟚𝟝𝟝𝟝𝟘𝟙𝟚𝟛 | ２０２－５５５－０１２３ | ＋１（２０２）５５５－０１２３
      001 202 555 0123 | 011-1-202-555-0123 | +01 202 555 0123 | +001 2025550123 | 0012025550123
      tel:+12025550123 | [202-555-0123](tel:+12025550123) | <tel:2025550123|(202) 555-0123> | p:+12025550123
      Phone: 202-555-0123 | Tel. 202 555 0123 | (cell) 202.555.0123 | 202-555-0123 (mobile) | phone no. 2025550123
      Cell phone #: 202-555-0123 | 202-555-0123, | 2025550123; | 202 555 0123. | 2,025,550,123 | 12,025,550,123
      2,025,550,123.00 | 2025550123.00 | 2025.550123 | "2025550123" | '2025550123 | “202-555-0123” | <2025550123>
      p: 2,025,550,123 | 202-555-0123 / 2025550123 | +1 202 555 0123, (202) 555-0123 | 202-555-0123 (WhatsApp)`),
  ]),
  ...good('email', [
    ...list(
      'ｐａｔ＠ｅｘａｍｐｌｅ．ｃｏｍ a@b.co mailto:a@b.co pat@xn--bcher-kva.xn--p1ai a\u200b@exa\u00admple.com xn--a@b.co',
    ),
    ...list(
      "o'neill+tag@mail.example.com #!$%&*+-/=?^_`{}|~@mail-host.org `@b.co 0@1.example.com a@b--c.org pat%40mail-host.org A9@b.c.d-e.f.photography",
    ),
    ...[`${long(64)}@example.com`, `a@${long(63)}.com`, `p@${long(60)}.${long(60)}.${long(60)}.org`],
    // What copying leaves around an address.
    ...lines('pat@mail-host.org (work) | [Home] pat@mail-host.org | a@b.co / a@b.co'),
    ...list('a@example.com. <a@example.com> "a@example.com “a@example.com”'),
  ]),
  ...['bedrooms', 'bathrooms'].flatMap((field) =>
    good(field, [
      ...[' 3 ', '5 +', [...'2.5+'].join(unseen.join('')), '2 1/2', '2 ½', '2 and 1/2', '2 and a half'],
      ...list('0 99 2.5 5+ ٣ ２．５ 3.0 4.00 1.50 2,5 .5 2٫5 2½ 2-1/2 ½ 1/2 "3" 3. 3,'),
    ]),
  ),
  ...good(
    'bedrooms',
    lines('3 bedrooms | 3BR | 3-bedroom | 5+ beds | 2 bd. | 3 Bedroom(s) | Studio | a studio apartment'),
  ),
  ...good('bathrooms', lines('2.5 baths | 1 bathroom | 2½ ba | 1 1/2 Bathrooms | 2,5 bath.')),
  ...Object.entries({ ...contact, ...quote }).flatMap(([field, value]) =>
    typeof value === 'string' && field !== 'formType'
      ? good(field, [`${edges.join('')}${value}${edges.join('')}`], field in quote ? quote : contact)
      : [],
  ),
  ...texts.flatMap(([field, base]) => good(field, [`a${unseen.join('')}b\v\f\u0085\u2028\u2029\r\t\nc\ud800`], base)),
  ...good('notes', ['0.5309136012499991']),
  ...good('helpWith', ['Your service', 'Your message', '[Urgent]', '[Urgent] a leak'], contact),
  ...good('name', [
    ...lines('Sam Null | sam null | Jo None | N/A Jones'),
    ...list('Test Null None Undefined Nan NA 7'),
  ]),
  ...['formType', 'consentTimestamp', 'pageUrl'].flatMap((field) => good(field, [null, '', ' \t', '\u200b'])),
  ...['bedrooms', 'notes', 'communicationsConsent', 'pageUrl'].flatMap((field) => good(field, [null, ''], contact)),
  ...texts.flatMap(([field, base, max]) => good(field, ['x', 'tab\tor\r\nline\n', long(max), long(max, 'é')], base)),
  ...good(
    'consentTimestamp',
    list(`
      2026-11-21T09:35:00Z 2026-11-20T10:00:00+00:00 2026-11-20T10:00:00-00:00 2026-11-20t10:00:00.123456789z
      2026-11-20T10:00:00.1234567890Z 2026-11-20T10:00:00.${long(43, '9')}Z
      2016-12-31T23:59:60Z 2024-02-29T00:00:00Z 2000-02-29T00:00:00Z 0001-01-01T00:00:00Z`),
  ),
  ...good(
    'pageUrl',
    list(`
      https://bücher.example/straße http://[2001:db8::1]:8080/ https://example.com:65535?a@b http://example.com
      HTTPS://EXAMPLE.COM/a?b=c#d https://example.com/${long(2028)}`),
  ),
]

const required: [field: string, base: Body][] = [
  ...list('name phone email bedrooms bathrooms service notes').map((field): [string, Body] => [field, quote]),
  ...list('name phone email helpWith message').map((field): [string, Body] => [field, contact]),
]
const nothings = [undefined, '', null, ' \t\n', unseen.join(''), '\u034f\u2060', '\u3164', '\u202a\u202c']
const templates = ['{{1.name}}', '\u0024{name}', '<%= a %>', '*|NAME|*', '[object Object]', 'undefined']

export const badCases: BadCase[] = [
  ...required.flatMap(([field, base]) => bad(field, 'required', nothings, base)),
  ...required.flatMap(([field, base]) => bad(field, 'invalid_type', [3, true, ['x'], {}], base)),
  ...texts.flatMap(([field, base, max]) =>
    bad(field, 'too_long', [long(max + 1), long(max + 1, max > 1000 ? 'é' : '🧽')], base),
  ),
  ...texts.flatMap(([field, base]) => bad(field, 'placeholder', templates, base)),
  ...bad('email', 'placeholder', ['{{first}}.smith@gmail.com']),
  ...['phone', 'email', 'bedrooms', 'consentTimestamp', 'pageUrl'].flatMap((field) =>
    bad(field, 'placeholder', [' {{ $json.x }} ', '$json.x', '@{body()}', '#REF!', 'undefined', '[object Object]']),
  ),
  ...bad('name', 'placeholder', [
    ...list('%NAME% $name __NAME__ {name} #{lead.name} <Name> [name] string N/A #N/A null NaN'),
    ...lines(`
      {{a}} Fox | — … | undefined undefined | Pat undefined | undefined Fox | null null | Pat null | null Fox | None None
      nil nil | Pat [object Object] | name | First Last | Firstname Lastname | CUSTOMER | unknown | Customer Name`),
  ]),
  ...bad('service', 'placeholder', [...list('- N/A n/a – none'), ...lines('-- Please choose -- | Select one…')]),
  ...texts.flatMap(([field, base]) => bad(field, 'placeholder', ['Your name', 'YOUR NOTES'], base)),
  ...badJson('formType', 'placeholder', ['{{kind}}']),
  ...texts.flatMap(([field, base]) => bad(field, 'payment_card', ['4111 1111 1111 1111', 'x 378282246310005.'], base)),
  ...bad('notes', 'payment_card', [
    ...lines('cc5555555555554444 exp 06/27 | 5555 5555 5555 4444exp06/27 | Visa-4012 8888 8888 1881'),
    ...['6011\n1111\n1111\n1117', '4111, 1111, 1111, 1111'],
  ]),
  ...bad('phone', 'invalid_phone', [
    ...list('202555012 22025550123 2O25550123 ++12025550123 +2025550123 202\u20165550123 202_555_0123 012025550123'),
    ...list('1-800-FLOWERS 07700900123 +52-55-1234-5678 5550123 +1202555012 2025550123#9 () +'),
    ...list('2tel:025550123 202555012.0 20255501.00 12025550123.0'),
    ...lines(`
      202 555 0123 x4 | +44 20 7946 0018 | 44 20 7946 0018 | phone: 202555012 | 202-555-0123 after 5 | 25,550,123
      [202-555-0123](tel:+12025550145) | 202-555-0123, 202-555-0145 | text 202-555-0123 | 202,55,50123 | +2(202)555-0123`),
  ]),
  ...bad('email', 'invalid_email', [
    ...list(`
      nobody a@b @ @example.com a@ a@-example.com ${long(65)}@example.com a.example.com a@b@c.co a@@b.co a@${long(64)}.com
      .a@b.co a.@b.co a..b@x.org a@127.0.0.1 a@[127.0.0.1] a@[IPv6:2001:db8::1] a@192.0.2.1:25 a@b.c a@b.c0m a@b.123
      mailto:nobody a@localhost a@b.co-uk a@.b.co a@b..co a@b-.co a@b.co- a@b_c.co a@b/c.co a@<b>.co zoë@b.co
      a@bücher.org ñ@郵件.商務 (x)a@b.co a@b.co(x) a,b@c.co a\\b@c.co a@b。c "a"@b.co "a"b@c.co a"b"@c.co a@b[192.0.2.1]`),
    ...['a\n@example.com', 'a@b.c\u3000o'],
    ...lines(`
      a b@example.com | a@exam ple.com | Pat <pat@example.com> | [a@b.co](mailto:b@b.co) | or a@b.co | “a b@b.co”
      a@example.com, b@example.com | "a b"@example.com | <mailto:a@b.co|b@b.co>`),
  ]),
  ...bad('email', 'too_long', [`a@${long(60)}.${long(60)}.${long(60)}.${long(60)}.${long(12)}`]),
  ...['bedrooms', 'bathrooms'].flatMap((field) =>
    bad(field, 'invalid_count', [
      ...list('three -1 100 2.3 5++ 1e1 2-3 3² 03 2.75 3,000 3.000 21/2 + 1/3'),
      ...lines('3 3 | 3 rooms | 2 or 3 | 2, 3 | studio with den'),
    ]),
  ),
  ...bad('bedrooms', 'invalid_count', ['2 baths']),
  ...bad('bathrooms', 'invalid_count', ['3 bedrooms', 'Studio']),
  ...bad('consentTimestamp', 'invalid_date_time', [
    ...list(`
      2026-11-20T10:00:00 2026-11-20T10:00:00+01:00 2026-11-20 2026-02-30T10:00:00Z 2025-02-29T10:00:00Z
      2026-11-20T24:00:00Z 2026-11-20T10:60:00Z 2026-11-20T10:00:61Z 2026-11-20T10:00:60Z 2026-11-20T10:00:00,5Z
      2026-11-20T10:00:00.Z 2026-W47-5T10:00:00Z 2026-13-01T10:00:00Z 2026-00-01T10:00:00Z 2026-01-32T10:00:00Z 1
      2026-01-00T10:00:00Z 2026-04-31T10:00:00Z 1900-02-29T10:00:00Z 2016-12-31T22:59:60Z
      2026-11-21T09:35:00.001Z`),
    '2026-11-20 10:00:00Z',
  ]),
  ...bad('consentTimestamp', 'too_long', [`2026-11-20T10:00:00.${long(44, '9')}Z`]),
  ...bad('consentTimestamp', 'invalid_type', [1763719740000]),
  ...bad('pageUrl', 'invalid_url', [
    ...list(`
      https:example.com https:\\\\example.com ftp://example.com javascript:alert(1) /quote https://
      https://user@example.com https://user:pass@example.com/ https://@example.com https://[::1 https://:80/
      https://example.com:99999`),
    ...[...' \t\u00a0\u2003\u2028\u3000'].map((space) => `https://example.com/a${space}b`),
    'https://exa mple.com',
  ]),
  ...bad('pageUrl', 'too_long', [`https://example.com/${long(2029)}`]),
  ...badJson('formType', 'invalid_value', ['Quote', 'contact', ' support ']),
  ...bad('formType', 'invalid_type', [1]),
  ...[undefined, false, 'true', 1, [true], null].map((value) => ({
    title: `communicationsConsent ${JSON.stringify(value)}`,
    change: { communicationsConsent: value },
    code: 'consent_required',
    errors: [['#/communicationsConsent', 'consent_required']] as [string, string][],
    onlyJson: value !== undefined && value !== false,
  })),
  {
    title: 'every fault at once, consent first',
    change: { communicationsConsent: false, phone: '1', email: 'x', bedrooms: 'many' },
    errors: [
      ['#/communicationsConsent', 'consent_required'],
      ['#/phone', 'invalid_phone'],
      ['#/email', 'invalid_email'],
      ['#/bedrooms', 'invalid_count'],
    ],
  },
  ...list('extra communications_consent helpWith toString').flatMap((name) => badJson(name, 'unknown_field', ['x'])),
  { title: 'a/b~c is unknown', change: { 'a/b~c': 'x' }, errors: [['#/a~1b~0c', 'unknown_field']], onlyJson: true },
  { title: 'ä is unknown', change: { ä: 'x' }, errors: [['#/%C3%A4', 'unknown_field']], onlyJson: true },
  {
    ...{ title: 'a lead in a text in an object', change: { a: { body: JSON.stringify(quote) } }, base: {} },
    ...{ errors: [['#/a/body', 'unknown_field']], onlyJson: true },
  },
  // A contact message has no consent.
  ...badJson('communicationsConsent', 'unknown_field', [true], contact),
]

/** A valid body with a case's change. */
export function bodyOf({ base = quote, change }: Case): Body {
  const body: Body = { ...base, ...change }
  for (const name of Object.keys(body)) if (body[name] === undefined) delete body[name]
  return body
}

export const options = { nowMs, acceptTestLeads: true } as const

/** What the domain refuses a body with. */
export function refusal(body: Body, others: Partial<Parameters<typeof checkLead>[1]> = {}): LeadError {
  try {
    checkLead(body, { ...options, ...others })
  } catch (error) {
    assert(error instanceof LeadError)
    return error
  }
  return assert.fail('was accepted')
}
