import { existsSync, readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { runCaddy } from '../support/caddy.ts'
import { startNginx } from '../support/container.ts'
import { newFolder } from '../support/machine.ts'
import { freePorts } from '../support/ports.ts'
import { root } from '../support/service.ts'
import { until } from '../support/until.ts'

/** A documented proxy in front of a service on this machine. */
export interface FrontProxy {
  /** Opens a connection from an address of this machine (127.0.0.0/8). `carrier` is what TLS goes through. */
  open(from: string): { socket: Socket; carrier: Socket }
  stop(): Promise<unknown>
}

/** The Caddyfile of one machine, with Debian's Caddy, which is its own authority for `localhost`. */
export async function startCaddy(service: string): Promise<FrontProxy> {
  const [http, https] = (await freePorts(2)) as [number, number]
  const settings = { DOMAIN: 'localhost', SERVICE: service, HTTP_PORT: `${http}`, HTTPS_PORT: `${https}` }
  const { folder, stop } = runCaddy('deploy/vm/Caddyfile', { ...settings, SITE: newFolder() })
  const authority = join(folder, 'caddy/pki/authorities/local/root.crt')
  await until('Caddy has a certificate', () => existsSync(authority) && existsSync(join(folder, 'caddy/certificates')))
  const ca = readFileSync(authority)
  return {
    open(localAddress) {
      const carrier = connect({ host: '127.0.0.1', port: https, localAddress }).on('error', () => {})
      const socket = connectTls({ socket: carrier, servername: 'localhost', ca })
      return { socket, carrier }
    },
    stop,
  }
}

/** The nginx of compose.yaml. It calls the service by its address, because there is no Docker network here. */
export async function startTemplate(service: string): Promise<FrontProxy> {
  const [host = '', target = ''] = service.split(':')
  const [port] = (await freePorts(1)) as [number]
  const content = readFileSync(join(root, 'deploy/nginx/lead-intake.conf.template'), 'utf8')
    .replace('listen 8080', `listen ${port}`)
    .replace('set $replicas lead-intake;', `set $replicas ${host};`)
    .replace('http://$replicas:8080', `http://$replicas:${target}`)
  const { stop } = await startNginx({ '/etc/nginx/templates/default.conf.template': content }, 'host')
  return {
    open(localAddress) {
      const socket = connect({ host: '127.0.0.1', port, localAddress })
      return { socket, carrier: socket }
    },
    stop,
  }
}
