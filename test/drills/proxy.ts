import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GenericContainer } from 'testcontainers'
import { startContainer } from '../support/container.ts'
import { freePorts } from '../support/ports.ts'
import { until } from '../support/until.ts'

const nginxImage = process.env.NGINX_IMAGE ?? 'nginx:1.29-bookworm'
// Without the limits of one address, from which all load of a drill comes.
const template = readFileSync(
  join(import.meta.dirname, '../../deploy/nginx/lead-intake.conf.template'),
  'utf8',
).replace(/^ *limit_(?:conn|req) .*\n/gm, '')
const target = '/etc/nginx/conf.d/default.conf'

/** The proxy of compose.yaml, in front of replicas on this machine. */
export interface Proxy extends AsyncDisposable {
  url: string
  /** Routes new requests to these replicas. Requests in progress continue. */
  leadTo(urls: readonly string[]): Promise<void>
}

/**
 * Starts nginx with the configuration in compose.yaml, except for its listen address and the replicas' addresses, which
 * come from here instead of Docker's DNS.
 */
export async function startProxy(urls: readonly string[]): Promise<Proxy> {
  const [port] = (await freePorts(1)) as [number]
  const url = `http://127.0.0.1:${port}`
  const configure = (replicas: readonly string[]) => [{ content: configurationFor(port, url, replicas), target }]
  const container = await startContainer(() =>
    new GenericContainer(nginxImage).withCopyContentToContainer(configure(urls)).withNetworkMode('host'),
  )
  // It publishes no port that the engine could wait for.
  await until('the proxy answers', () => fetch(url))
  return {
    url,
    async leadTo(replicas) {
      await container.copyContentToContainer(configure(replicas))
      const { exitCode, output } = await container.exec(['nginx', '-s', 'reload'])
      if (exitCode !== 0) throw new Error(output)
    },
    [Symbol.asyncDispose]: async () => void (await container.stop()),
  }
}

function configurationFor(port: number, url: string, replicas: readonly string[]): string {
  // As with DNS, failures of a replica are not remembered.
  const servers = replicas.map((replica) => `server ${new URL(replica).host} max_fails=0;`).join(' ')
  const changes: [from: string, to: string][] = [
    ['resolver 127.0.0.11 valid=1s ipv6=off;', `upstream replicas { ${servers} }`],
    // A reload closes idle connections just when a caller may reuse one, so none are kept alive.
    ['listen 8080 default_server;', `listen 127.0.0.1:${port} default_server; keepalive_timeout 0;`],
    ['set $replicas lead-intake;', ''],
    ['proxy_pass http://$replicas:8080;', 'proxy_pass http://replicas;'],
  ]
  const changed = changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the proxy's configuration has no "${from}"`)
    return text.replace(from, to)
  }, template)
  return changed.replaceAll(/\$\{BASE_URL\}/g, url)
}
