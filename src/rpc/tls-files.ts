import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { RpcTls } from './listener.ts'

/** Paths of the certificate files. A part without a path never changes. */
export type TlsFiles = Readonly<Partial<Record<keyof RpcTls, string>>>

export interface TlsFilesOptions {
  files: TlsFiles
  /** The certificates in use. */
  tls: RpcTls
  /** Switches to other certificates. */
  reload(tls: RpcTls): void
  onReload(tls: RpcTls): void
  /** Called once for each bad version of the files. The current certificates stay in use. The error contains no key. */
  onError(error: unknown): void
  /** Milliseconds since the epoch. */
  now: () => number
  /** Polling interval in milliseconds. Certificates are renewed long before they expire, so it can be long. */
  everyMs?: number
}

export interface TlsFilesWatch {
  /** Checks the files now. Never rejects. */
  check(): Promise<void>
  stop(): void
}

/**
 * Switches to renewed certificates without a restart. Polls the files, because Kubernetes replaces the target folder of
 * a symbolic link, and a watch on a file does not notice that.
 */
export function watchTlsFiles(options: TlsFilesOptions): TlsFilesWatch {
  const { files, reload, onReload, onError, now, everyMs = 5_000 } = options
  let seen = options.tls
  let readable = true

  async function read(): Promise<Partial<RpcTls> | undefined> {
    try {
      const texts = await readAll(files)
      readable = true
      return texts
    } catch (error) {
      if (readable) onError(error)
      readable = false
      return undefined
    }
  }

  async function check() {
    const fresh = { ...seen, ...(await read()) }
    if (isSame(fresh, seen)) return
    // Report bad content only once.
    seen = fresh
    try {
      checkUsable(fresh, now())
      reload(fresh)
      onReload(fresh)
    } catch (error) {
      onError(error)
    }
  }

  const timer = setInterval(check, everyMs).unref()
  return { check, stop: () => clearInterval(timer) }
}

async function readAll(files: TlsFiles): Promise<Partial<RpcTls>> {
  const read = async ([name, path]: [string, string]) => [name, `${(await readFile(path, 'utf8')).trim()}\n`]
  return Object.fromEntries(await Promise.all(Object.entries(files).map(read)))
}

function isSame(one: RpcTls, other: RpcTls): boolean {
  return one.cert === other.cert && one.key === other.key && one.ca === other.ca
}

/** Throws when the texts are not certificates, the key does not match, or the certificate has expired. */
function checkUsable({ cert, key, ca }: RpcTls, nowMs: number): void {
  const certificate = new X509Certificate(cert)
  new X509Certificate(ca)
  if (!certificate.checkPrivateKey(createPrivateKey(key))) throw new TypeError('the key does not match the certificate')
  if (Date.parse(certificate.validTo) <= nowMs) throw new TypeError('the certificate has expired')
}
