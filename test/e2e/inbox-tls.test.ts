import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { LeadIntakeService } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { createAuthority, type Identity } from '../rpc/certificates.ts'
import { post } from '../support/http.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'

const authority = createAuthority('The business')
const successor = createAuthority('The business, next year')
const folder = mkdtempSync(join(tmpdir(), 'tls-'))
after(() => {
  authority.dispose()
  successor.dispose()
  rmSync(folder, { recursive: true, force: true })
})

let version = 0

/** Replaces the files like Kubernetes: all at once, through the symbolic link to their folder. */
function mount({ cert, key }: Identity, ca: string): void {
  const name = `..version-${++version}`
  mkdirSync(join(folder, name))
  for (const [file, text] of Object.entries({ 'tls.crt': cert, 'tls.key': key, 'ca.crt': ca })) {
    writeFileSync(join(folder, name, file), text)
    if (version === 1) symlinkSync(join('..data', file), join(folder, file))
  }
  symlinkSync(name, join(folder, '..data-new'))
  renameSync(join(folder, '..data-new'), join(folder, '..data'))
}

const settings = {
  INTERNAL_TLS_CERT_FILE: join(folder, 'tls.crt'),
  INTERNAL_TLS_KEY_FILE: join(folder, 'tls.key'),
  INTERNAL_TLS_CLIENT_CA_FILE: join(folder, 'ca.crt'),
}

suite('the inbox behind client certificates', () => {
  test("accepts only the business's clients, also while certificates are renewed", {
    timeout: 60_000,
  }, async () => {
    mount(authority.issue('127.0.0.1'), authority.cert)
    await using service = await startService(settings)
    const url = service.internalUrl.replace('http:', 'https:')
    const crm = authority.issue('crm')
    const list = (ca: string, identity?: Identity) => inboxClient(url, { ca, ...identity }).listLeads({})

    await post(service.url, quote)
    assert.equal((await list(authority.cert, crm)).leads.length, 1)
    for (const identity of [undefined, successor.issue('crm'), authority.issue('crm', { expired: true })]) {
      await assert.rejects(list(authority.cert, identity), ConnectError)
    }
    await assert.rejects(inboxClient(service.internalUrl).listLeads({}), ConnectError)

    mount({ ...authority.issue('127.0.0.1'), key: crm.key }, authority.cert)
    await until('the log says so', () => service.log().includes('renewed certificates are invalid'))
    assert.equal((await list(authority.cert, crm)).leads.length, 1)

    mount(successor.issue('127.0.0.1'), successor.cert)
    await until('the log says so', () => service.log().includes('certificates renewed'))
    assert.equal((await list(successor.cert, successor.issue('crm'))).leads.length, 1)
    await assert.rejects(list(successor.cert, crm), ConnectError)

    assert.ok(!service.log().includes('PRIVATE KEY'))
  })
  test("applies each caller's roles, and names the caller in log, evidence and erasure", {
    timeout: 60_000,
  }, async () => {
    const { cert, key } = authority.issue('127.0.0.1')
    await using service = await startService({
      INTERNAL_TLS_CERT: cert,
      INTERNAL_TLS_KEY: key,
      INTERNAL_TLS_CLIENT_CA: authority.cert,
      INTERNAL_CALLERS: 'crm.internal=read+erase,site.internal=submit',
    })
    const url = service.internalUrl.replace('http:', 'https:')
    const nodeOptions = (name: string) => ({
      ca: authority.cert,
      ...authority.issue(name, { names: [`DNS:${name}.internal`] }),
    })
    const site = nodeOptions('site')
    const crm = inboxClient(url, nodeOptions('crm'))
    const intake = createClient(LeadIntakeService, createGrpcTransport({ baseUrl: url, nodeOptions: site }))

    const lead = { case: 'quoteRequest', value: quote } as const
    const { id } = await intake.submitLead({ lead, origin: { clientAddress: '203.0.113.9' } })
    await assert.rejects(inboxClient(url, site).listLeads({}), { code: Code.PermissionDenied })
    const { lead: stored } = await crm.getLead({ id })
    assert.partialDeepStrictEqual(stored?.consent, {
      clientAddress: '203.0.113.9',
      caller: 'site.internal',
      originSent: true,
    })
    await crm.eraseLead({ id })

    const calls = service
      .log()
      .split('\n')
      .filter((line) => line.includes('rpc call'))
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      calls.map(({ method, code, caller }) => [method, code, caller]),
      [
        ['SubmitLead', 'ok', 'site.internal'],
        ['ListLeads', 'permission_denied', 'site.internal'],
        ['GetLead', 'ok', 'crm.internal'],
        ['EraseLead', 'ok', 'crm.internal'],
      ],
    )
    await assert.rejects(inboxClient(url, { ca: authority.cert }).listLeads({}), ConnectError)
    await until('the log says so', () => service.log().includes('tls handshake refused'))
    assert.match(service.log(), /"code":"ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE"/)
    const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text()
    assert.match(
      metrics,
      /lead_intake_rpc_refused_handshakes_total\{code="ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE"\} [1-9]/,
    )
  })
})
