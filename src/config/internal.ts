import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { ConfigFaults, Environment } from './reader.ts'
import type { SettingValues } from './settings.ts'

/** Whether a host, without a port, is this machine: `localhost`, `127.0.0.0/8` or `::1`. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}|::1|\[::1\])$/i.test(host)
}

export function originOf({ host, port, tls }: { host: string; port: number; tls: unknown }): string {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http${tls ? 's' : ''}://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/**
 * `loopbackOnly` is set if only local host names are accepted. Without `callers`, any valid certificate may submit and
 * read; without certificates, everyone may do everything.
 */
export function readInternal(given: SettingValues, env: Environment, faults: ConfigFaults) {
  const { INTERNAL_HOST: host, INTERNAL_CALLERS: callers } = given
  const { INTERNAL_TLS_CERT: cert, INTERNAL_TLS_KEY: key, INTERNAL_TLS_CLIENT_CA: ca } = given
  const listen = { host, port: given.INTERNAL_PORT }
  const loopbackOnly = given.INTERNAL_INSECURE === 'false'
  const all = 'INTERNAL_TLS_CERT, INTERNAL_TLS_KEY, INTERNAL_TLS_CLIENT_CA'
  if (cert && key && ca) {
    if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
      faults.add('INTERNAL_TLS_KEY', 'expected the key of the certificate in INTERNAL_TLS_CERT; got another one')
    const fileOf = (part: string) => env[`INTERNAL_TLS_${part}_FILE`]?.trim() || undefined
    const files = { cert: fileOf('CERT'), key: fileOf('KEY'), ca: fileOf('CLIENT_CA') }
    return { ...listen, tls: { cert, key, ca, files }, callers, loopbackOnly: false }
  }
  if (cert || key || ca) {
    faults.add(all, 'expected all three or none')
  } else {
    if (!isLoopback(host) && loopbackOnly)
      faults.add(
        'INTERNAL_HOST',
        `expected a loopback address while ${all} are not set; set INTERNAL_INSECURE=true if a mesh or a NetworkPolicy protects the port`,
      )
    if (callers)
      faults.add('INTERNAL_CALLERS', `expected ${all} to be set too: without client certificates there are no names`)
  }
  return { ...listen, tls: undefined, callers: undefined, loopbackOnly }
}
