import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GenericContainer } from 'testcontainers'
import { startContainer } from '../support/container.ts'
import { freePorts } from '../support/ports.ts'
import { until } from '../support/until.ts'

const nginxImage = process.env.NGINX_IMAGE ?? 'nginx:1.29-bookworm'
const template = readFileSync(join(import.meta.dirname, '../../deploy/nginx/lead-intake.conf.template'), 'utf8')
const target = '/etc/nginx/conf.d/default.conf'

/** The proxy of compose.yaml before replicas on this machine. */
export interface Proxy extends AsyncDisposable {
  url: string
  /** Sends requests to these replicas from now on; what is under way elsewhere goes on. */
  leadTo(urls: readonly string[]): Promise<void>
}

/**
 * Starts nginx with the configuration of compose.yaml. Different are where it listens, and how it learns of the replicas:
 * from Docker's resolver there, by being told here.
 */
export async function startProxy(urls: readonly string[]): Promise<Proxy> {
  const [port] = (await freePorts(1)) as [number]
  const url = `http://127.0.0.1:${port}`
  const configure = (replicas: readonly string[]) => [{ content: configurationFor(port, url, replicas), target }]
  const container = await startContainer(() =>
    new GenericContainer(nginxImage).withCopyContentToContainer(configure(urls)).withNetworkMode('host'),
  )
  // It has no port of the engine's to wait for.
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
  // As with a resolver, nothing is remembered of a replica that failed.
  const servers = replicas.map((replica) => `server ${new URL(replica).host} max_fails=0;`).join(' ')
  const changes: [from: string, to: string][] = [
    ['resolver 127.0.0.11 valid=1s ipv6=off;', `upstream replicas { ${servers} }`],
    // A reload ends idle connections, and a caller may be about to use one: here, none is kept.
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
