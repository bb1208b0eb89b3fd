// Runs the bundle and stops it, so that later starts find V8's compiled code in dist/compile-cache
// (NODE_COMPILE_CACHE). The cache is valid for the same Node version, V8 options, user and path.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const dist = join(import.meta.dirname, '..', 'dist')
const folder = mkdtempSync(join(tmpdir(), 'lead-intake-'))

/** Starts the service with these settings, requests a page, and stops it. */
async function run(settings: Record<string, string>): Promise<void> {
  const service = spawn(process.execPath, [join(dist, 'main.js')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: join(dist, 'compile-cache'),
      HOST: '127.0.0.1',
      OPS_HOST: '127.0.0.1',
      PORT: '0',
      INTERNAL_PORT: '0',
      OPS_PORT: '0',
      DRAIN_SECONDS: '0',
      LOG_LEVEL: 'info',
      ...settings,
    },
  })
  const ended = once(service, 'close')
  let output = ''
  for await (const chunk of service.stdout) {
    output += chunk
    const [, port] = /"addresses":.*"public":\{[^}]*"port":(\d+)/.exec(output) ?? []
    if (port === undefined) continue
    await (await fetch(`http://127.0.0.1:${port}/developers`)).text()
    service.kill('SIGTERM')
    break
  }
  const [code] = await ended
  if (code !== 0) throw new Error(`the service ended with ${code}: ${output}`)
}

// A file's cache is written by the first run that loads it. Nobody listens on port 1, and the service does not wait for
// it.
const absent = '127.0.0.1:1'
try {
  await run({ DATABASE_URL: `postgres://${absent}/none`, REDIS_URL: `redis://${absent}` })
  await run({ DATABASE_URL: `sqlite:${join(folder, 'leads.db')}` })
} finally {
  rmSync(folder, { recursive: true })
}
