// Who may call the internal listener: roles by the names in client certificates, and no browsers.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { suite, test } from 'node:test'
import { Code, createClient, type Transport } from '@connectrpc/connect'
import type { CallerRole, Callers } from '../../src/config/types.ts'
import { Health } from '../../src/gen/grpc/health/v1/health_pb.ts'
import { LeadInboxService } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { LeadIntakeService } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { certificateNames } from '../../src/net/tls-files.ts'
import { quote } from '../support/submissions.ts'
import { createAuthority, type Identity } from './certificates.ts'
import { type RpcServerOptions, refusalOf, startRpcServer, submitPath, transports } from './rpc-server.ts'

const authority = createAuthority('Business authority')
const tls = { ...authority.issue('127.0.0.1'), ca: authority.cert }
const crm = authority.issue('crm', { names: ['DNS:CRM.internal'] })
const siteName = 'URI:spiffe://business.internal/site'
const site = authority.issue('site', { names: ['DNS:unlisted.internal', siteName] })
const both = authority.issue('both', { names: [siteName, 'DNS:crm.internal'] })
const nameless = authority.issue('nameless')
/** A URI that reads like the DNS name of the CRM. */
const posing = authority.issue('posing', { names: ['URI:crm.internal'] })

const listed: Callers = new Map<string, ReadonlySet<CallerRole>>([
  ['crm.internal', new Set(['read', 'erase'])],
  [siteName, new Set(['submit'])],
])

/** The methods that each role may call. */
const methodsOf: Record<CallerRole, string[]> = {
  submit: ['submitLead'],
  read: ['listLeads', 'watchLeads', 'getLead', 'findOptOuts', 'listOptOuts'],
  erase: ['eraseLead', 'recordOptOut'],
}
const methods = [...LeadIntakeService.methods, ...LeadInboxService.methods]

/** Answers every method. */
async function* stream() {
  yield {}
}
const answers = LeadInboxService.methods.map(({ localName, methodKind }) => [
  localName,
  methodKind === 'unary' ? () => ({}) : stream,
])
const inbox: RpcServerOptions['inbox'] = Object.fromEntries(answers)

/** The methods that a caller may call. */
async function allowed(transport: Transport): Promise<string[]> {
  const names: string[] = []
  for (const { parent, localName } of methods) {
    const client = createClient(parent, transport) as Record<string, (request: object) => Promise<object>>
    const request = parent === LeadIntakeService ? { lead: { case: 'quoteRequest', value: quote } } : {}
    const called = client[localName]?.(request) as Promise<object> | AsyncIterable<object>
    const done = 'then' in called ? called : called[Symbol.asyncIterator]().next()
    if (await done.then(Boolean, () => false)) names.push(localName)
    else {
      const { error, problem } = await refusalOf(done)
      assert.deepEqual([error.code, problem?.code], [Code.PermissionDenied, 'permission_denied'], localName)
    }
  }
  await createClient(Health, transport).check({})
  return names
}

const cases: [title: string, options: RpcServerOptions, identity: Identity | undefined, may: CallerRole[]][] = [
  ['without certificates', {}, undefined, ['submit', 'read', 'erase']],
  ['with a certificate and no list', { tls }, crm, ['submit', 'read']],
  ['with a listed DNS name', { tls, callers: listed }, crm, ['read', 'erase']],
  ['with a listed URI and a name that is not listed', { tls, callers: listed }, site, ['submit']],
  ['with two listed names', { tls, callers: listed }, both, ['submit', 'read', 'erase']],
  ['with a URI like a listed DNS name', { tls, callers: listed }, posing, []],
  ['with a certificate that is not listed', { tls, callers: listed }, nameless, []],
]

for (const [title, options, identity, may] of cases) {
  test(`a caller ${title} may ${may.join(', ') || 'only ask whether the service is healthy'}`, async () => {
    await using server = await startRpcServer({ ...options, inbox })
    const names = await allowed(transports.gRPC(server.url, { ca: authority.cert, ...identity }))
    assert.deepEqual(names.sort(), may.flatMap((role) => methodsOf[role]).sort())
    const denied = server.calls.filter(({ code }) => code === 'permission_denied')
    assert.equal(denied.length, methods.length - names.length)
    if (identity !== site && identity !== both) return
    for (const { caller } of server.calls) assert.equal(caller, siteName)
  })
}

test('a certificate names its DNS names in lower case, and its URIs', () => {
  for (const [subjectAltName, names] of [
    ['DNS:CRM.internal, IP Address:127.0.0.1, URI:spiffe://A/b', ['crm.internal', 'URI:spiffe://A/b']],
    // What Node quotes.
    ['URI:"urn:a, DNS:crm.internal", DNS:b', ['URI:urn:a, DNS:crm.internal', 'b']],
    [undefined, []],
    ['DNS:a, "DNS:b', []],
  ])
    assert.deepEqual(certificateNames({ subjectAltName } as never), names)
})

const body = JSON.stringify({ quoteRequest: quote })
const json = { 'content-type': 'application/json' }

type Place = { port: number; url: string }
/** Sends a lead as JSON to this host with these headers. Returns the status and the answer. */
type Send = (server: Place, host: string, headers?: Record<string, string>, method?: string) => Promise<Got>
type Got = [status: number, type: string | undefined, text: string]

const senders: Record<string, Send> = {
  async 'HTTP/1.1'({ port }, host, headers, method = 'POST') {
    const call = request({ port, method, path: submitPath, headers: { ...json, ...headers, host }, agent: false })
    call.end(method === 'GET' ? undefined : body)
    const [answer] = await once(call, 'response')
    return [answer.statusCode, answer.headers['content-type'], (await answer.setEncoding('utf8').toArray()).join('')]
  },
  async 'HTTP/2'({ url }, host, headers, method = 'POST') {
    const session = connectHttp2(url)
    const stream = session.request({ ':method': method, ':path': submitPath, ':authority': host, ...json, ...headers })
    if (method !== 'GET') stream.end(body)
    const [fields] = await once(stream, 'response')
    const text = (await stream.setEncoding('utf8').toArray()).join('')
    session.close()
    return [fields[':status'], fields['content-type'], text]
  },
}

function assertRefused([status, type, text]: Got): void {
  assert.deepEqual([status, type, JSON.parse(text).code], [403, 'application/problem+json', 'browser_refused'])
}

const strangeHosts =
  'attacker.example attacker.example:9090 127.0.0.1.example localhost.example 10.0.0.1 [::2] 127.0.0.256 0.0.0.0'
const ownHosts = 'localhost LOCALHOST:9090 127.0.0.1 127.0.0.1:9090 127.255.0.9 [::1] [::1]:9090'

for (const [version, send] of Object.entries(senders)) {
  suite(`over ${version}`, () => {
    test('a browser is refused, whatever guards the port; a program may use any of its names', async () => {
      await using server = await startRpcServer({ loopbackOnly: false })
      const origins = [{ origin: 'https://attacker.example' }, { origin: 'null' }]
      const fetched = [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'none' }]
      for (const headers of [...origins, ...fetched] as Record<string, string>[])
        for (const method of ['POST', 'OPTIONS']) assertRefused(await send(server, 'localhost', headers, method))
      // A page on a host name that was pointed here sends nothing else with its own GET.
      assertRefused(await send(server, 'attacker.example:9090', {}, 'GET'))
      assert.deepEqual(server.submitted, [])
      assert.deepEqual([...new Set(server.calls.map(({ code }) => code))], ['permission_denied'])
      assert.equal((await send(server, 'lead-intake.internal:9090'))[0], 200)
    })

    test('on a loopback address, only names of this machine are served', async () => {
      await using server = await startRpcServer({ loopbackOnly: true })
      for (const host of strangeHosts.split(' ')) assertRefused(await send(server, host))
      assert.deepEqual(server.submitted, [])
      for (const host of ownHosts.split(' ')) assert.equal((await send(server, host))[0], 200, host)
      if (version === 'HTTP/2') assertRefused(await send(server, 'localhost', { host: 'attacker.example' }))
    })
  })
}
