import type { Callers } from './callers.ts'
import { checkCertificates } from './certificates.ts'
import { Faults } from './faults.ts'
import { type Environment, type Reading, readSettings } from './reader.ts'
import { settings } from './settings.ts'

/** The address to listen on. */
export interface Listen {
  host: string
  port: number
}

/** The certificates of the internal listener, as PEM text. `ca` signs the client certificates. */
export interface InternalTls {
  cert: string
  key: string
  ca: string
  /** The paths of those that came from files. Renewed files are read again. */
  files: { cert?: string; key?: string; ca?: string }
}

/** The internal listener. */
export interface InternalListen extends Listen {
  tls: InternalTls | undefined
  /** Undefined: any valid certificate may submit and read; without certificates, everyone may do everything. */
  callers: Callers | undefined
  /** Whether only local host names are accepted: on a loopback address without certificates or INTERNAL_INSECURE. */
  loopbackOnly: boolean
}

const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|::1)$/

/** Combines the settings of the internal listener: who can reach it, and what it requires of them. */
export function createInternal({ values: given, files }: Reading<typeof settings>, faults: Faults): InternalListen {
  const { INTERNAL_HOST: host, INTERNAL_CALLERS: callers } = given
  const names = ['INTERNAL_TLS_CERT', 'INTERNAL_TLS_KEY', 'INTERNAL_TLS_CLIENT_CA'] as const
  const listen = { host, port: given.INTERNAL_PORT }
  const [cert, key, ca] = names.map((name) => given[name])
  const all = names.join(', ')
  if (cert && key && ca) {
    const paths = { cert: files.INTERNAL_TLS_CERT, key: files.INTERNAL_TLS_KEY, ca: files.INTERNAL_TLS_CLIENT_CA }
    checkCertificates({ cert, key, ca }, faults)
    return { ...listen, tls: { cert, key, ca, files: paths }, callers, loopbackOnly: false }
  }
  if (cert || key || ca) {
    faults.add(names, 'expected all three or none')
  } else if (!loopbackHost.test(host) && !given.INTERNAL_INSECURE) {
    faults.add(
      ['INTERNAL_HOST'],
      `expected a loopback address while ${all} are not set; set INTERNAL_INSECURE=true if a mesh or a NetworkPolicy guards the port`,
    )
  }
  if (callers) {
    faults.add(
      ['INTERNAL_CALLERS'],
      `expected ${all} to be set too: without client certificates there are no names to check`,
    )
  }
  return { ...listen, tls: undefined, callers: undefined, loopbackOnly: !given.INTERNAL_INSECURE }
}

/** The internal listener's address, for a client on this machine. Throws a `ConfigError`. */
export function readInternal(env: Environment): InternalListen {
  const faults = new Faults()
  const internal = createInternal(readSettings(settings, env, faults), faults)
  faults.throwIfAny([])
  return internal
}
