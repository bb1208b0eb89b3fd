import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { checkLead } from '../../src/lead/check.ts'
import { LeadError } from '../../src/lead/error.ts'
import { contact, nowMs } from '../support/submissions.ts'
import { baseUrl, createContext, documentsOf, trickyName } from './context.ts'

const { body, contentType } = (await documentsOf())('/llms.txt')

suite('/llms.txt', () => {
  test('follows llmstxt.org: a title, a summary, prose without headings, then lists of links', () => {
    assert.equal(contentType, 'text/plain; charset=utf-8')
    const outside = body.replace(/```[\s\S]*?```/g, '')
    const [title, summary, ...rest] = outside.split('\n\n')
    assert.match(title ?? '', /^# \S/)
    assert.match(summary ?? '', /^> \S/)
    const [prose = '', ...sections] = rest.join('\n\n').split(/^## /m)
    assert.doesNotMatch(prose, /^#/m)
    assert(sections.length >= 3)
    for (const section of sections) {
      const [name, ...lines] = section.trim().split('\n')
      assert(name)
      for (const line of lines.filter(Boolean)) assert.match(line, /^- \[[^\]]+\]\(https:\/\/[^)\s]+\)(: .+)?$/)
    }
  })

  test('links to existing documents, with absolute URLs', async () => {
    const find = await documentsOf()
    const urls = Array.from(body.matchAll(/\]\(([^)]+)\)/g), (match) => match[1] ?? '')
    assert(urls.length >= 8)
    for (const url of urls) {
      assert(url.startsWith(`${baseUrl}/`), url)
      const path = url.slice(baseUrl.length)
      if (path !== '/api/v1') find(path)
    }
  })

  test('says what an agent must know before submitting', () => {
    for (const rule of [
      /explicitly asked/,
      /Send `true` only after their explicit yes/,
      /no test data/i,
      /no `Authorization`/,
      /20,000 bytes/,
      /10 submissions per minute/,
      /Retry-After/,
      /do not retry any other 4xx/i,
      /no status to poll/,
      /deprecated alias/,
    ])
      assert.match(body, rule)
  })

  test('is short, and lists control characters once', () => {
    assert(body.length < 8_450, `${body.length} characters`)
    assert.equal(body.split('U+202A').length, 2)
    assert.equal(body.split('U+E0000').length, 2)
  })

  test('has an example of a message, which nobody can submit by mistake', () => {
    const message = JSON.parse(/```json\n([\s\S]*?)```/.exec(body)?.[1] ?? '')
    assert.deepEqual(Object.keys(message).sort(), Object.keys(contact).sort())
    assert.throws(() => checkLead(message, { nowMs, acceptTestLeads: true }), LeadError)
  })

  test('has an example that nobody can submit by mistake, with the answer to a real lead', () => {
    const [request = '', answer = ''] = Array.from(body.matchAll(/```http\n([\s\S]*?)```/g), (match) => match[1])
    assert.match(
      request,
      /^POST \/api\/v1\/leads HTTP\/1\.1\nHost: api\.example\.org\nContent-Type: application\/json\n/,
    )
    const lead = JSON.parse(request.slice(request.indexOf('\n\n')))
    assert.throws(() => checkLead(lead, { nowMs, acceptTestLeads: true }), LeadError)
    const real = {
      phone: '2025550123',
      email: 'pat@example.com',
      bedrooms: '3',
      bathrooms: '2',
      communicationsConsent: true,
    }
    assert.equal(checkLead({ ...lead, ...real }, { nowMs, acceptTestLeads: true }).kind, 'quote')
    assert.match(answer, /^HTTP\/1\.1 201 Created\n/)
    assert.deepEqual(Object.keys(JSON.parse(answer.slice(answer.indexOf('\n\n')))), ['id', 'formType', 'receivedAt'])
  })

  test('says what to do in common situations', () => {
    for (const rule of [
      /another country code/,
      /a status question/,
      /an erasure, a correction or a withdrawal/,
      /studio: `bedrooms` is `"0"`/,
      /one lead each/,
      /"No further details"/,
      /payment data \(a card number is refused\), passwords, access codes/,
      /identical body again with the same key/,
      /say yes to you themselves \(a surprise for a neighbor\)/,
      /an adult customer/,
      /No price is given, and a receipt is not a booking/,
      /Keep the `id` for the customer/,
      /refused submission does not use up its key/,
      /translate the wording for the customer, with its whole meaning/,
      /2 if it is absent, as with `internal_error`/,
      /After three attempts, stop\. Tell the customer/,
      /a hosted agent shares it/,
      /`Authorization`, `Proxy-Authorization` or `X-API-Key` header: they are refused/,
    ])
      assert.match(body, rule)
  })

  test('shows the configured business', async () => {
    const business = { ...createContext().business, name: trickyName, serviceArea: 'A & B' }
    assert(
      (await documentsOf({ business }))('/llms.txt').body.includes(
        `${trickyName}, a residential cleaning business (A & B)`,
      ),
    )
  })
})
