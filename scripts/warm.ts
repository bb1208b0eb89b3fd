// Runs the bundle once and stops it, so that what V8 has compiled lies in dist/compile-cache for every later start
// (NODE_COMPILE_CACHE). It counts for the same Node, options of V8, user and place.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const dist = join(import.meta.dirname, '..', 'dist')
const folder = mkdtempSync(join(tmpdir(), 'lead-intake-'))

/** What this start may end without: the drivers of a cluster. */
const later = readdirSync(dist).filter((file) => /^(postgres|redis)-.*\.js$/.test(file))
const imports = later.map((file) => `await import(${JSON.stringify(pathToFileURL(join(dist, file)))})`).join('\n')

try {
  const service = spawn(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(imports)}`, join(dist, 'main.js')],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: join(dist, 'compile-cache'),
        DATABASE_URL: `sqlite:${join(folder, 'leads.db')}`,
        HOST: '127.0.0.1',
        OPS_HOST: '127.0.0.1',
        PORT: '0',
        INTERNAL_PORT: '0',
        OPS_PORT: '0',
        DRAIN_SECONDS: '0',
        LOG_LEVEL: 'info',
      },
    },
  )
  let output = ''
  service.stdout.on('data', (chunk) => {
    output += chunk
    // Once: a second signal would end it at once, and as a failure.
    if (!service.killed && output.includes('"listening"')) service.kill('SIGTERM')
  })
  const [code] = await once(service, 'close')
  if (code !== 0) throw new Error(`the service ended with ${code}: ${output}`)
} finally {
  rmSync(folder, { recursive: true })
}
