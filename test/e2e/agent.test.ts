import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import LinkHeader from 'http-link-header'
import { type Service, startService } from '../support/service.ts'

// An agent that knows nothing about this project. It has a base URL, the standards (RFC 9727, OpenAPI, JSON Schema, RFC
// 9457) and a customer who answers questions. None of the paths, fields and codes below come from the service's source.

let service: Service
before(async () => {
  service = await startService()
})
after(() => service.stop())

type Schema = {
  $ref?: string
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  const?: unknown
  type?: string
  description?: string
  examples?: unknown[]
}
type Lead = Record<string, unknown>
interface Operation {
  summary: string
  deprecated?: boolean
  requestBody?: { $ref?: string; content: Record<string, { schema: Schema }> }
}
interface Description {
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
}
interface Problem {
  type: string
  code: string
  hint: string
  retryable: boolean
  errors?: { pointer: string; code: string; hint: string }[]
}

/** The customer's answers. */
const customer: Record<string, unknown> = {
  name: 'Pat Example',
  phone: '(202) 555-0123',
  email: 'pat@example.com',
  bedrooms: 'three',
  bathrooms: '2',
  service: 'Deep clean',
  notes: 'Two cats.',
  communicationsConsent: true,
}

/** From the base URL alone: the catalog, and through its links the API description. */
async function discover(baseUrl: string): Promise<Description> {
  const home = await fetch(baseUrl, { method: 'HEAD', redirect: 'manual' })
  const [catalogLink] = LinkHeader.parse(home.headers.get('link') ?? '').rel('api-catalog')
  assert(catalogLink, 'the home names no catalog')
  const catalog = await fetch(catalogLink.uri)
  assert.match(catalog.headers.get('content-type') ?? '', /^application\/linkset\+json/)
  type Relations = Record<string, { href: string }[]> & { anchor: string }
  const { linkset } = (await catalog.json()) as { linkset: Relations[] }
  const api = linkset.flatMap((context) => context.item ?? [])[0]?.href
  const description = linkset.find(({ anchor }) => anchor === api)?.['service-desc']?.[0]?.href
  assert(description, 'the catalog names no description')
  return (await (await fetch(description)).json()) as Description
}

function resolve<T extends object>(whole: object, value: T & { $ref?: string }): T {
  if (!value.$ref) return value
  const parts = value.$ref.slice(2).split('/')
  return parts.reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], whole) as T
}

/** The operation for submitting a lead: the POST that is not deprecated. */
function findSubmission(description: Description): { url: string; schema: Schema } {
  for (const [path, { post }] of Object.entries(description.paths)) {
    if (!post || post.deprecated) continue
    const body = resolve(description, post.requestBody ?? { content: {} })
    const schema = resolve(description, body.content['application/json']?.schema ?? {})
    return { url: `${description.servers[0]?.url}${path}`, schema }
  }
  throw new Error('no operation takes a lead')
}

/** Asks the customer for everything that the schema requires. */
function fillIn(schema: Schema, answers: Record<string, unknown>): Lead {
  const lead: Lead = {}
  for (const name of schema.required ?? []) {
    const fixed = schema.properties?.[name]?.const
    lead[name] = name in answers ? answers[name] : fixed
  }
  return lead
}

async function send(url: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': '198.18.100.1', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, answer: (await response.json()) as Lead & Problem }
}

/** The first quoted example in a hint. */
const exampleIn = (hint: string) => /"([^"]+)"/.exec(hint)?.[1]

/**
 * Corrects a lead using `errors` only: removes unknown members and moves their text where the hint says; asks the
 * customer for missing values; rewrites other values in the form of the hint's example.
 */
function repair(lead: Lead, { errors = [] }: Problem, ask: (name: string, hint: string) => unknown): Lead {
  const repaired = { ...lead }
  for (const { pointer, hint } of errors) {
    const name = decodeURIComponent(pointer.slice(2)).replaceAll('~1', '/').replaceAll('~0', '~')
    if (/^Remove the member/.test(hint)) {
      const place = /into (\w+)/.exec(hint)?.[1]
      if (place) repaired[place] = [repaired[place], repaired[name]].filter(Boolean).join('\n')
      delete repaired[name]
    } else {
      repaired[name] = ask(name, hint)
    }
  }
  return repaired
}

/** Corrects headers by the hint: "Remove the … headers" names some, "the header Name: value" is one to send. */
function repairHeaders(headers: Record<string, string>, { hint }: Problem): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !/^Remove/.test(hint) || !hint.includes(name))
  const [, name, value] = /header ([\w-]+): (\S+?)\.?$/.exec(hint) ?? []
  return { ...Object.fromEntries(kept), ...(name && value && { [name]: value }) }
}

suite('an agent that has only the base URL', () => {
  test('finds the API, builds a lead from the schema, and repairs it from the problems until it is stored', async () => {
    const description = await discover(service.url)
    const { url, schema } = findSubmission(description)
    const kinds = (schema.oneOf ?? []).map((kind) => resolve(description, kind))
    const quote = kinds.find(({ description: text }) => /quote/.test(text ?? ''))
    assert(quote)

    // The customer said "three", forgot to agree, and mentioned parking, which has no field. The agent's headers are wrong.
    let lead: Lead = { ...fillIn(quote, { ...customer, communicationsConsent: false }), parking: 'On the street.' }
    let headers: Record<string, string> = { Authorization: 'Bearer x', 'Content-Type': 'text/plain' }
    const met: string[] = []
    const asked: string[] = []
    const ask = (name: string, hint: string) => {
      asked.push(name)
      if (name === 'communicationsConsent') return true
      const example = exampleIn(hint)
      return name === 'bedrooms' && example ? example : customer[name]
    }
    let attempt = await send(url, lead, headers)
    while (attempt.status >= 400 && met.length < 5) {
      met.push(attempt.answer.code)
      assert.equal(attempt.answer.retryable, false)
      assert.equal((await fetch(attempt.answer.type)).status, 200)
      if (attempt.answer.errors) lead = repair(lead, attempt.answer, ask)
      else headers = repairHeaders(headers, attempt.answer)
      attempt = await send(url, lead, headers)
    }
    assert.deepEqual(met, ['credentials_not_accepted', 'unsupported_media_type', 'validation_failed'])
    assert.deepEqual(asked, ['communicationsConsent', 'bedrooms'])
    assert.equal(attempt.status, 201)
    assert.equal(lead.notes, 'Two cats.\nOn the street.')
    const valid = new Ajv2020({ strict: false, validateFormats: false }).addSchema(description, 'd')
    assert(valid.getSchema('d#/components/schemas/Lead')?.(lead), 'what is stored fits the schema')

    // As far as the agent knows, the connection broke. It sends the same request again, which must not create a second
    // lead.
    const again = await send(url, lead)
    assert.deepEqual([again.status, again.answer.id], [200, attempt.answer.id])
  })

  test('succeeds with llms.txt alone: its example is stored with the customer’s own details', async () => {
    const text = await (await fetch(`${service.url}/llms.txt`)).text()
    const [, path = '', json = ''] = /```http\nPOST (\S+) HTTP\/1\.1\n[\s\S]*?\n\n([\s\S]*?)```/.exec(text) ?? []
    const fields = Object.keys(JSON.parse(json))
    const lead = Object.fromEntries(fields.map((name) => [name, customer[name]]))
    const { status } = await send(service.url + path, { ...lead, bedrooms: '3', notes: 'A garden.' })
    assert.equal(status, 201)
    const refused = await send(service.url + path, JSON.parse(json))
    assert.equal(refused.status, 422, 'the example as it stands')
    const { consent } = (await (await fetch(`${service.url}/api/v1`)).json()) as { consent: unknown }
    assert.deepEqual(refused.answer.consent, consent, 'the wording comes with the error')
  })
})
