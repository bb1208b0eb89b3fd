import { execFileSync } from 'node:child_process'

function docker(...args: string[]): string {
  return execFileSync('docker', args, { encoding: 'utf8' }).trim()
}

/** A container that runs on this machine. */
export interface Container extends Disposable {
  /** Its first process, by its number on the host. */
  pid: number
  /** Where the host keeps the image's volume. */
  volume: string
}

/** Runs an image on the host's network, so that no proxy or bridge stands between a server and it. */
export function runContainer(image: string, env: Record<string, string>, command: readonly string[]): Container {
  const settings = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const id = docker('run', '--detach', '--rm', '--network', 'host', ...settings, image, ...command)
  return {
    pid: Number(docker('inspect', '--format', '{{.State.Pid}}', id)),
    volume: docker('inspect', '--format', '{{(index .Mounts 0).Source}}', id),
    [Symbol.dispose]: () => void docker('rm', '--force', '--volumes', id),
  }
}
