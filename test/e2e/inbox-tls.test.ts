import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { ConnectError } from '@connectrpc/connect'
import { createAuthority, type Identity } from '../rpc/certificates.ts'
import { post } from '../support/http.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'

const authority = createAuthority('The business')
const successor = createAuthority('The business, next year')
const folder = mkdtempSync(join(tmpdir(), 'tls-'))
after(() => {
  authority.dispose()
  successor.dispose()
  rmSync(folder, { recursive: true, force: true })
})

let version = 0

/** Replaces the files as Kubernetes does: all at once, by the symbolic link that leads to them. */
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
  test('is open to the business alone, and stays so while the certificates are renewed', {
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

    const stream = inboxClient(url, { ca: authority.cert, ...crm })
      .watchLeads({})
      [Symbol.asyncIterator]()
    await stream.next()

    mount({ ...authority.issue('127.0.0.1'), key: crm.key }, authority.cert)
    while (!service.log().includes('renewed certificates cannot be used')) await delay(50)
    assert.equal((await list(authority.cert, crm)).leads.length, 1)

    mount(successor.issue('127.0.0.1'), successor.cert)
    while (!service.log().includes('certificates renewed')) await delay(50)
    assert.equal((await list(successor.cert, successor.issue('crm'))).leads.length, 1)
    await assert.rejects(list(successor.cert, crm), ConnectError)

    // The stream from before goes on, over its connection.
    await post(service.url, { ...quote, notes: 'After the renewal' })
    const { value } = await stream.next()
    const content = value?.lead?.content
    assert.equal(content?.case === 'quoteRequest' && content.value.notes, 'After the renewal')
    assert.ok(!service.log().includes('PRIVATE KEY'))
  })
})
