import { execFileSync } from 'node:child_process'

function docker(...args: string[]): string {
  return execFileSync('docker', args, { encoding: 'utf8' }).trim()
}

/** A container on this machine. */
export interface Container extends Disposable {
  /** Its first process, as a process id of the host. */
  pid: number
  /** The image's volume on the host. */
  volume: string
}

/** Runs an image on the host's network, so that there is no proxy or bridge between server and backend. */
export function runContainer(image: string, env: Record<string, string>, command: readonly string[]): Container {
  const settings = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const id = docker('run', '--detach', '--rm', '--network', 'host', ...settings, image, ...command)
  return {
    pid: Number(docker('inspect', '--format', '{{.State.Pid}}', id)),
    volume: docker('inspect', '--format', '{{(index .Mounts 0).Source}}', id),
    [Symbol.dispose]: () => void docker('rm', '--force', '--volumes', id),
  }
}
