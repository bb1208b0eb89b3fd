import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { newFolder } from './machine.ts'
import { root } from './service.ts'

/** Debian's Caddy with a Caddyfile. It is its own authority for `localhost`, in `folder`. */
export function runCaddy(file: string, env: Record<string, string> = {}) {
  const folder = newFolder()
  const own = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, ...env }
  const args = ['run', '--config', file, '--adapter', 'caddyfile']
  const child = spawn('caddy', args, { cwd: root, stdio: 'ignore', env: own as NodeJS.ProcessEnv })
  const ended = once(child, 'close')
  const stop = () => {
    child.kill()
    return ended
  }
  return { folder, stop }
}
