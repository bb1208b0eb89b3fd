import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { GenericContainer } from 'testcontainers'
import { startContainer } from '../support/container.ts'
import { freePorts } from '../support/ports.ts'
import { until } from '../support/until.ts'

const nginxImage = process.env.NGINX_IMAGE ?? 'nginx:1.29-bookworm'
const template = join(import.meta.dirname, '../../deploy/nginx/lead-intake.conf.template')
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
  const changes: [from: string | RegExp, to: string][] = [
    ['resolver 127.0.0.11 valid=1s ipv6=off;', `upstream replicas { ${servers} }`],
    // A reload closes idle connections just when a caller may reuse one, so none are kept alive.
    ['listen 8080 default_server;', `listen 127.0.0.1:${port} default_server; keepalive_timeout 0;`],
    ['set $replicas lead-intake;', ''],
    ['proxy_pass http://$replicas:8080;', 'proxy_pass http://replicas;'],
    // One address sends all load of a drill.
    [/^ *limit_(?:conn|req) .*\n/gm, ''],
    [/\$\{BASE_URL\}/g, url],
  ]
  return changes.reduce(
    (text, [from, to]) => {
      const changed = text.replace(from, to)
      if (changed === text) throw new Error(`the proxy's configuration has no "${from}"`)
      return changed
    },
    readFileSync(template, 'utf8'),
  )
}

/** A TCP proxy on this machine that a test can cut or redirect. */
export interface TcpProxy extends AsyncDisposable {
  port: number
  /** Breaks every connection and refuses new ones. */
  cut(): void
  /** Accepts connections again, to the same target port or another one. */
  lead(port?: number): Promise<void>
}

/** Starts a proxy to a port of 127.0.0.1. */
export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  let targetPort = target
  const server = createServer((near) => {
    const far = connect(targetPort, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        for (const each of [near, far]) sockets.delete(each.destroy())
      })
    }
    near.pipe(far).pipe(near)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo

  function cut() {
    server.close()
    for (const socket of sockets) socket.destroy()
  }

  return {
    port,
    cut,
    async lead(next = targetPort) {
      targetPort = next
      await once(server.listen(port, '127.0.0.1'), 'listening')
    },
    [Symbol.asyncDispose]: async () => cut(),
  }
}
