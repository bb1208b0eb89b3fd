import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder } from '../support/machine.ts'

/** A certificate with its key, as PEM without the last line break, as settings are read. */
export type Identity = ReturnType<ReturnType<typeof createAuthority>['issue']>

/** A certificate authority for one test. Uses the `openssl` program, because Node cannot create certificates. */
export function createAuthority(name: string) {
  const folder = newFolder()
  const path = (file: string) => join(folder, file)
  const read = (file: string) => readFileSync(path(file), 'utf8').trim()
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

  openssl('req', '-x509', ...newKey, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', `/CN=${name}`, '-days', '2')

  return {
    cert: read('ca.pem'),
    /** Signs a certificate with these names, such as `DNS:crm.internal`. One for `127.0.0.1` works for a server. */
    issue(subject: string, { expired = false, names = subject === '127.0.0.1' ? ['IP:127.0.0.1'] : [] } = {}) {
      openssl('req', ...newKey, '-keyout', 'own.key', '-out', 'own.csr', '-subj', `/CN=${subject}`)
      writeFileSync(path('own.ext'), names.length > 0 ? `subjectAltName=${names}\n` : '')
      const signer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'own.ext']
      openssl('x509', '-req', '-in', 'own.csr', '-out', 'own.pem', '-days', expired ? '-1' : '2', ...signer)
      return { cert: read('own.pem'), key: read('own.key') }
    },
  }
}
