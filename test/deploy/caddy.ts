import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../support/ports.ts'
import { root } from '../support/process.ts'

/** Debian's Caddy with the configuration in deploy/vm, for `localhost`, with a certificate from its own CA. */
export interface Caddy extends AsyncDisposable {
  host: string
  httpUrl: string
  /** The website's folder. */
  site: string
  /** The file of the CA's certificate. */
  caFile: string
  /** Sends a request from its own client address on this machine (127.0.0.0/8). */
  ask(path: string, options?: AskOptions): Promise<Reply>
}

export interface AskOptions {
  method?: string
  body?: string
  from?: string
  headers?: Record<string, string>
}

export interface Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** Starts Caddy in front of the service at `upstream`, a host and port. */
export async function startCaddy(upstream: string): Promise<Caddy> {
  const folder = mkdtempSync(join(tmpdir(), 'caddy-'))
  const site = join(folder, 'site')
  mkdirSync(site)
  const [httpPort, httpsPort] = (await freePorts(2)) as [number, number]
  const child = spawn('caddy', ['run', '--config', 'deploy/vm/Caddyfile', '--adapter', 'caddyfile'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...{ PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      ...{ DOMAIN: 'localhost', HTTP_PORT: `${httpPort}`, HTTPS_PORT: `${httpsPort}`, SITE: site, SERVICE: upstream },
    },
  })
  let output = ''
  child.stderr.on('data', (chunk) => (output += chunk))
  const exited = once(child, 'exit')
  const caFile = join(folder, 'caddy/pki/authorities/local/root.crt')

  const ask: Caddy['ask'] = (path, { method = 'GET', body, from = '127.0.0.1', headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const options = {
        ...{ host: '127.0.0.1', servername: 'localhost', port: httpsPort, ca: readFileSync(caFile) },
        ...{ localAddress: from, agent: false, method, path },
        headers: { Host: `localhost:${httpsPort}`, ...(body && { 'Content-Type': 'application/json' }), ...headers },
      }
      request(options, (res) => {
        let text = ''
        res.on('data', (chunk) => (text += chunk))
        res.on('end', () => resolve({ status: res.statusCode as number, headers: res.headers, text }))
      })
        .on('error', reject)
        .end(body)
    })

  const dispose = async () => {
    child.kill('SIGKILL')
    await exited
    rmSync(folder, { recursive: true })
  }
  const deadline = Date.now() + 30_000
  while (!existsSync(caFile) || (await ask('/robots.txt').catch(() => undefined)) === undefined) {
    if (Date.now() > deadline || child.exitCode !== null) {
      await dispose()
      throw new Error(`Caddy did not come up:\n${output}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    ...{ host: `localhost:${httpsPort}`, httpUrl: `http://localhost:${httpPort}`, site, caFile, ask },
    [Symbol.asyncDispose]: dispose,
  }
}
