import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** Runs a load generator in this folder and returns its output. Throws when it fails or is not installed. */
export async function runTool(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'pipe'] })
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${errors || output}`)
  return output
}
