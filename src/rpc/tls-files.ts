import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { RpcTls } from './listener.ts'

/** The files that certificates come from; what is not from a file does not change. */
export type TlsFiles = Readonly<Partial<Record<keyof RpcTls, string>>>

export interface TlsFilesOptions {
  files: TlsFiles
  /** What is in use. */
  tls: RpcTls
  /** Takes other certificates into use. */
  reload(tls: RpcTls): void
  onReload(): void
  /** Hears once of files that cannot be read, or used; what is in use stays. The error holds no key. */
  onError(error: unknown): void
  /** Milliseconds since the epoch. */
  now: () => number
  /** How often to look, in milliseconds: certificates are renewed long before they expire. */
  everyMs?: number
}

export interface TlsFilesWatch {
  /** Looks now. Never rejects. */
  check(): Promise<void>
  stop(): void
}

/**
 * Takes renewed certificates into use without a restart. It reads the files instead of watching them: Kubernetes changes
 * the folder that a symbolic link leads to, which a watch on the file does not notice.
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
    // Of a content that cannot be used, one report is enough.
    seen = fresh
    try {
      checkUsable(fresh, now())
      reload(fresh)
      onReload()
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

/** Throws when the texts are no certificates, do not belong together, or could serve nobody at this time. */
function checkUsable({ cert, key, ca }: RpcTls, nowMs: number): void {
  const certificate = new X509Certificate(cert)
  new X509Certificate(ca)
  if (!certificate.checkPrivateKey(createPrivateKey(key))) throw new TypeError('the key is not that of the certificate')
  if (Date.parse(certificate.validTo) <= nowMs) throw new TypeError('the certificate has expired')
}
