import type { RedisOptions } from '../limit/redis-connection.ts'
import { ValueError, type ValueType } from './reader.ts'

/** Scheme, kind, user information, hosts, path and query. Their delimiters are percent-encoded inside them. */
const form = /^(rediss?)(?:\+(cluster|sentinel))?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^@?#]*))?(?:\?([^@#]*))?$/

/** The Redis that all replicas share: one server, a Cluster, or the master that Sentinels name. */
export const redisUrl: ValueType<RedisOptions> = {
  expected:
    '"redis://HOST:PORT", "redis+cluster://HOST:PORT,…" or "redis+sentinel://HOST:PORT,…/MASTER?sentinelPassword=…", with "USER:PASSWORD@" before the hosts, and "rediss" for TLS',
  parse(text) {
    const [, scheme, kind = 'single', login = '', hosts = '', path = '', query = ''] = form.exec(text) ?? []
    if (scheme === undefined) throw new ValueError('is / ? # or @ in a password not percent-encoded?')
    const username = decode(login.replace(/:.*/, ''))
    const password = decode(login.replace(/^[^:]*:?/, ''))
    if (kind === 'single') {
      parseHosts(hosts, 6_379, 1)
      return { kind, url: text }
    }
    const shared = { username: username || undefined, password: password || undefined, tls: scheme === 'rediss' }
    if (kind === 'cluster') {
      if (path !== '' || query !== '') throw new ValueError('nothing may follow the hosts of a Cluster')
      return { kind, nodes: parseHosts(hosts, 6_379), ...shared }
    }
    const name = decode(path)
    if (name === '' || name.includes('/')) throw new ValueError('the name of the master must follow the hosts')
    const { sentinelPassword, ...unknown } = Object.fromEntries(new URLSearchParams(query.replaceAll('+', '%2B')))
    if (Object.keys(unknown).length > 0) throw new ValueError('the only parameter is sentinelPassword')
    return { kind: 'sentinel', sentinels: parseHosts(hosts, 26_379), name, sentinelPassword, ...shared }
  },
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ValueError('a percent sign is %25')
  }
}

function parseHosts(text: string, defaultPort: number, most = Number.POSITIVE_INFINITY) {
  const hosts = text.split(',').map((part) => {
    const url = URL.parse(`redis://${part}`)
    if (!url?.hostname) throw new ValueError('a host is not HOST, HOST:PORT or [IPv6]:PORT')
    return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || defaultPort) }
  })
  if (hosts.length > most) throw new ValueError('several hosts need "redis+cluster" or "redis+sentinel"')
  return hosts
}
