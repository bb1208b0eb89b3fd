import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import LinkHeader from 'http-link-header'
import { post } from '../support/http.ts'
import { startService } from '../support/service.ts'

// An agent that knows nothing about this project. It has a base URL, the standards (RFC 9727, OpenAPI, JSON Schema, RFC
// 9457) and a customer who answers questions. None of the paths, fields and codes below come from the service's source.

const service = await startService()
after(() => service.stop())

type Lead = Record<string, unknown>
type Problem = Record<'type' | 'code' | 'hint', string> & {
  retryable: boolean
  errors?: { pointer: string; hint: string }[]
}

/** The customer's answers. */
const customer: Lead = {
  name: 'Pat Example',
  phone: '(202) 555-0123',
  email: 'pat@example.com',
  bedrooms: 'three',
  bathrooms: '2',
  service: 'Deep clean',
  notes: 'Two cats.',
  communicationsConsent: true,
}

/** From the base URL alone: the catalog, through its links the API description, and in it where a lead is sent. */
async function discover(baseUrl: string) {
  const home = await fetch(baseUrl, { method: 'HEAD', redirect: 'manual' })
  const [catalogLink] = LinkHeader.parse(home.headers.get('link') ?? '').rel('api-catalog')
  assert(catalogLink, 'the home names no catalog')
  type Relations = Record<string, { href: string }[]> & { anchor: string }
  const { linkset } = (await (await fetch(catalogLink.uri)).json()) as { linkset: Relations[] }
  const api = linkset.flatMap((context) => context.item ?? [])[0]?.href
  const link = linkset.find(({ anchor }) => anchor === api)?.['service-desc']?.[0]?.href
  assert(link, 'the catalog names no description')
  const description = JSON.parse(await (await fetch(link)).text())
  const path = Object.keys(description.paths).find((name) => {
    const { post } = description.paths[name]
    return post && !post.deprecated
  })
  assert(path, 'no operation takes a lead')
  const at = (ref: string) => {
    const names = ref.split('/').slice(1)
    return names.reduce((value, name) => value[name], description)
  }
  const { schema } = at(description.paths[path].post.requestBody.$ref).content['application/json']
  const lead = at(schema.$ref)
  assert.match(lead.description, /quote/)
  // Without a kind, the condition does not hold.
  const names: string[] = [...lead.required, ...lead.else.required]
  return { url: description.servers[0].url + path, names }
}

async function send(url: string, body: unknown, headers: Record<string, string> = {}) {
  const { status, json } = await post(url, body, { path: '', client: '198.18.100.1', headers })
  return { status, answer: json as Lead & Problem }
}

/** Corrects a lead by `errors` alone: moves unknown members to where the hint says, and asks for the other values. */
function repair(lead: Lead, { errors = [] }: Problem, ask: (name: string, hint: string) => unknown): Lead {
  const repaired = { ...lead }
  for (const { pointer, hint } of errors) {
    const name = pointer.slice(2)
    if (/^Unknown field/.test(hint)) {
      const place = /field or `(\w+)`/.exec(hint)?.[1]
      if (place) repaired[place] = [repaired[place], repaired[name]].filter(Boolean).join('\n')
      delete repaired[name]
    } else repaired[name] = ask(name, hint)
  }
  return repaired
}

/** Corrects headers by the hint: "Remove the … headers" names some, "the header Name: value" is one to send. */
function repairHeaders(headers: Record<string, string>, { hint }: Problem): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !/^Remove/.test(hint) || !hint.includes(name))
  const [, name, value] = /header ([\w-]+): ([\w/]+)/.exec(hint) ?? []
  return { ...Object.fromEntries(kept), ...(name && value && { [name]: value }) }
}

test('an agent that has only the base URL finds the API, builds a lead from the schema, and repairs it from the problems until it is stored', async () => {
  const { url, names } = await discover(service.url)
  // The customer said "three", forgot to agree, and named the stairs, which no field takes. Its headers are wrong.
  const answers: Lead = { ...customer, communicationsConsent: false }
  let lead: Lead = { ...Object.fromEntries(names.map((name) => [name, answers[name]])), stairs: 'They have carpet.' }
  let headers: Record<string, string> = { Authorization: 'Bearer x', 'Content-Type': 'text/plain' }
  const met: string[] = []
  const asked: string[] = []
  const ask = (name: string, hint: string) => {
    asked.push(name)
    if (name === 'communicationsConsent') return true
    const example = /"([^"]+)"/.exec(hint)?.[1]
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
  assert.equal(lead.notes, 'Two cats.\nThey have carpet.')
})

test('an agent succeeds with llms.txt alone: its example is stored with the customer’s own details', async () => {
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
