import assert from 'node:assert/strict'
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Code, ConnectError } from '@connectrpc/connect'
import { SubmissionPath } from '../../src/gen/leadintake/v1/lead_pb.ts'
import { createAuthority, type Identity } from '../rpc/certificates.ts'
import { newFolder } from '../support/machine.ts'
import { inboxClient, intakeClient, startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'

const authority = createAuthority('The business')
const successor = createAuthority('The business, next year')
const folder = newFolder()

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

test("the internal listener accepts only the business's clients in their roles, also while certificates are renewed", async () => {
  mount(authority.issue('127.0.0.1'), authority.cert)
  const env = {
    INTERNAL_TLS_CERT_FILE: join(folder, 'tls.crt'),
    INTERNAL_TLS_KEY_FILE: join(folder, 'tls.key'),
    INTERNAL_TLS_CLIENT_CA_FILE: join(folder, 'ca.crt'),
    INTERNAL_CALLERS: 'crm.internal=read+erase,site.internal=submit',
  }
  await using late = await startService(env, { now: () => Date.now() + 9 * 86_400_000 })
  assert.match(late.log(), /"to":"2[^\n]*callers will reject it/)
  await using service = await startService(env)
  const url = service.internalUrl.replace('http:', 'https:')
  const issue = (name: string, by = authority) => by.issue(name, { names: [`DNS:${name}.internal`] })
  const inbox = (identity?: Identity, ca = authority.cert) => inboxClient(url, { ca, ...identity })
  const [site, crm] = [issue('site'), issue('crm')]
  const intake = intakeClient(url, { ca: authority.cert, ...site })

  const lead = { case: 'quoteRequest', value: quote } as const
  const { id } = await intake.submitLead({ lead, origin: { clientAddress: '203.0.113.9' } })
  await assert.rejects(inbox(site).listLeads({}), { code: Code.PermissionDenied })
  const { lead: stored } = await inbox(crm).getLead({ id })
  const consent = { clientAddress: '203.0.113.9', path: SubmissionPath.RPC, caller: 'site.internal', originSent: true }
  assert.partialDeepStrictEqual(stored?.consent, consent)
  await inbox(crm).eraseLead({ id })
  const contact = String(quote.phone)
  await inbox(crm).recordOptOut({ contact })
  assert.equal((await inbox(crm).findOptOuts({ contact })).optOuts[0]?.caller, 'crm.internal')
  const calls = (service.log().match(/^.*"rpc call".*$/gm) ?? []).map((line) => JSON.parse(line))
  const told = calls.map(({ method, code, caller }) => `${caller} ${method} ${code}`)
  assert.deepEqual(told, [
    ...['site.internal SubmitLead ok', 'site.internal ListLeads permission_denied'],
    ...['GetLead', 'EraseLead', 'RecordOptOut', 'FindOptOuts'].map((method) => `crm.internal ${method} ok`),
  ])

  await assert.rejects(inbox().listLeads({}), ConnectError)
  const code = 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE'
  await until('the log says so', () => service.log().includes(`"code":"${code}"`))
  const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text()
  assert.match(metrics, new RegExp(`lead_intake_rpc_refused_handshakes_total\\{code="${code}"\\} [1-9]`))
  const expiry = /^lead_intake_internal_certificate_expiry_timestamp_seconds (\S+)/m.exec(metrics)?.[1]
  assert(Number(expiry) > Date.now() / 1_000)
  // Of all calls, whatever their code.
  for (const method of ['SubmitLead', 'ListLeads', 'GetLead', 'EraseLead'])
    assert.match(metrics, new RegExp(`lead_intake_rpc_call_duration_seconds_count\\{method="${method}"\\} 1\n`))

  mount(successor.issue('127.0.0.1'), successor.cert)
  await until('the log says so', () => service.log().includes('certificates renewed'))
  assert.equal((await inbox(issue('crm', successor), successor.cert).listLeads({})).leads.length, 1)
  await assert.rejects(inbox(crm, successor.cert).listLeads({}), ConnectError)
  assert.ok(!/PRIVATE KEY|callers refuse/.test(service.log()))
})
