// Roles on the internal listener, by the names in client certificates.
import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect'
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node'
import type { CallerRole, Callers } from '../../src/config/callers.ts'
import { Health } from '../../src/gen/grpc/health/v1/health_pb.ts'
import { LeadInboxService } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { LeadIntakeService } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { ProblemSchema } from '../../src/gen/leadintake/v1/problem_pb.ts'
import { certificateNames, identify, roleFor } from '../../src/rpc/callers.ts'
import { quote } from '../support/submissions.ts'
import { createAuthority, type Identity } from './certificates.ts'
import { type RpcServer, type RpcServerOptions, startRpcServer } from './rpc-server.ts'

const authority = createAuthority('Business authority')
after(() => authority.dispose())
const tls = { ...authority.issue('127.0.0.1'), ca: authority.cert }
const crm = authority.issue('crm', { names: ['DNS:CRM.internal'] })
const site = authority.issue('site', { names: ['DNS:unlisted.internal', 'URI:spiffe://business.internal/site'] })
const nameless = authority.issue('nameless')
/** A URI that reads like the DNS name of the CRM. */
const posing = authority.issue('posing', { names: ['URI:crm.internal'] })

const listed: Callers = new Map<string, ReadonlySet<CallerRole>>([
  ['crm.internal', new Set(['read', 'erase'])],
  ['URI:spiffe://business.internal/site', new Set(['submit'])],
])

const inbox: RpcServerOptions['inbox'] = {
  listLeads: () => ({}),
  async *watchLeads() {
    yield { cursor: '1' }
  },
  getLead: () => ({}),
  eraseLead: () => ({}),
  recordStop: () => ({}),
}

const transports: Record<string, (server: RpcServer, identity?: Identity) => Transport> = {
  'gRPC over HTTP/2': ({ url }, identity) =>
    createGrpcTransport({ baseUrl: url, nodeOptions: { ca: authority.cert, ...identity } }),
  'Connect over HTTP/1.1': ({ url }, identity) =>
    createConnectTransport({ baseUrl: url, httpVersion: '1.1', nodeOptions: { ca: authority.cert, ...identity } }),
}

async function firstOf(messages: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of messages) return
}

/** The methods that a caller may call. */
async function allowed(transport: Transport): Promise<string[]> {
  const intakeClient = createClient(LeadIntakeService, transport)
  const client = createClient(LeadInboxService, transport)
  const calls: Record<string, () => Promise<unknown>> = {
    submit: () => intakeClient.submitLead({ lead: { case: 'quoteRequest', value: quote } }),
    list: () => client.listLeads({}),
    watch: () => firstOf(client.watchLeads({})),
    get: () => client.getLead({ id: 'x' }),
    erase: () => client.eraseLead({ id: 'x' }),
    stop: () => client.recordStop({ contact: 'x' }),
    health: () => createClient(Health, transport).check({}),
  }
  const names: string[] = []
  for (const [name, call] of Object.entries(calls)) {
    const error = await call().then(
      () => undefined,
      (reason) => reason,
    )
    if (error === undefined) names.push(name)
    else {
      assert.ok(error instanceof ConnectError)
      assert.equal(error.code, Code.PermissionDenied, `${name}: ${error}`)
      assert.equal(error.findDetails(ProblemSchema)[0]?.code, 'permission_denied')
    }
  }
  return names
}

const everything = ['submit', 'list', 'watch', 'get', 'erase', 'stop', 'health']
const cases: [title: string, options: RpcServerOptions, identity: Identity | undefined, may: string[]][] = [
  ['without certificates', {}, undefined, everything],
  ['with a certificate and no list', { tls }, crm, ['submit', 'list', 'watch', 'get', 'health']],
  ['with a listed DNS name', { tls, callers: listed }, crm, ['list', 'watch', 'get', 'erase', 'stop', 'health']],
  ['with a listed URI beside a name that is not', { tls, callers: listed }, site, ['submit', 'health']],
  ['with a URI like a listed DNS name', { tls, callers: listed }, posing, ['health']],
  ['with a certificate that is not listed', { tls, callers: listed }, nameless, ['health']],
]

for (const [protocol, createTransport] of Object.entries(transports)) {
  suite(`a caller using ${protocol}`, () => {
    for (const [title, options, identity, may] of cases) {
      test(`${title} may ${may.join(', ')}`, async () => {
        await using server = await startRpcServer({ ...options, inbox })
        assert.deepEqual(await allowed(createTransport(server, identity)), may)
        const denied = server.calls.filter(({ code }) => code === 'permission_denied')
        assert.equal(denied.length, everything.length - may.length)
        if (identity === site)
          assert.deepEqual(
            [...new Set(server.calls.map(({ caller }) => caller))],
            ['URI:spiffe://business.internal/site'],
          )
      })
    }
  })
}

suite('roles', () => {
  test('are defined for every method of the two services', () => {
    for (const method of [...LeadIntakeService.methods, ...LeadInboxService.methods])
      assert.notEqual(roleFor(method), undefined, method.name)
    for (const method of Health.methods) assert.equal(roleFor(method), undefined)
  })

  test('are combined from all listed names in a certificate', () => {
    const { caller, roles } = identify(['URI:spiffe://business.internal/site', 'crm.internal'], listed)
    assert.equal(caller, 'URI:spiffe://business.internal/site')
    assert.deepEqual([...roles].sort(), ['erase', 'read', 'submit'])
  })
})

suite('the names of a certificate', () => {
  const texts: Record<string, [text: string | undefined, names: string[]]> = {
    'are DNS names in lower case, and URIs': [
      'DNS:CRM.internal, IP Address:127.0.0.1, URI:spiffe://A/b',
      ['crm.internal', 'URI:spiffe://A/b'],
    ],
    'may hold what Node quotes': ['URI:"urn:a, DNS:crm.internal", DNS:b', ['URI:urn:a, DNS:crm.internal', 'b']],
    'are none where there is no such extension': [undefined, []],
    'are none where one cannot be read': ['DNS:a, "DNS:b', []],
  }
  for (const [title, [subjectAltName, names]] of Object.entries(texts)) {
    test(title, () => assert.deepEqual(certificateNames({ subjectAltName } as never), names))
  }
})
