import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { documentsOf } from './context.ts'

const binaries = join(import.meta.dirname, '../../node_modules/.bin')
const owasp = createRequire(import.meta.url).resolve('@stoplight/spectral-owasp-ruleset')

/**
 * Rules that would require headers that are never sent: reads have no rate limit, and only public documents have CORS
 * headers.
 */
const rateLimitHeaders = 'owasp:api4:2023-rate-limit'
const corsHeader = 'owasp:api8:2023-define-cors-origin'
const ruleset = { extends: ['spectral:oas', owasp], rules: { [rateLimitHeaders]: 'warn', [corsHeader]: 'warn' } }

let folder: string
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'openapi-'))
  writeFileSync(join(folder, 'openapi.json'), (await documentsOf())('/openapi.json').body)
  writeFileSync(join(folder, 'redocly.yaml'), 'extends: [recommended]\n')
  writeFileSync(join(folder, 'spectral.json'), JSON.stringify(ruleset))
})
after(() => rmSync(folder, { recursive: true, force: true }))

/** Keeps the linters from sending telemetry and checking for updates. */
function run(command: string, ...args: string[]) {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' }
  const { status, stdout, stderr } = spawnSync(join(binaries, command), args, { cwd: folder, encoding: 'utf8', env })
  return { status, stdout, output: `${stdout}\n${stderr}` }
}

suite('/openapi.json under the linters', () => {
  test('Redocly reports nothing', () => {
    const { status, stdout, output } = run('redocly', 'lint', 'openapi.json', '--format=json')
    assert.equal(status, 0, output)
    assert.deepEqual(JSON.parse(stdout.slice(stdout.indexOf('{'))).totals, { errors: 0, warnings: 0, ignored: 0 })
  })

  test("Spectral's OpenAPI and OWASP rules report no error, and only intended warnings", () => {
    const { status, stdout, output } = run('spectral', 'lint', 'openapi.json', '-r', 'spectral.json', '-f', 'json')
    assert.equal(status, 0, output)
    const found: { code: string; severity: number; path: string[] }[] = JSON.parse(stdout.slice(stdout.indexOf('[')))
    assert(found.every(({ severity }) => severity > 0))
    for (const { path } of found.filter(({ code }) => code === rateLimitHeaders))
      assert.match(path.join(), /^paths,.*,get,|^components,responses,(?:Read[0-9]|Other)/)
    assert.deepEqual([...new Set(found.map(({ code }) => code))].sort(), [
      rateLimitHeaders,
      // Reads are not rate-limited.
      'owasp:api4:2023-rate-limit-responses-429',
      // Prose for people has no pattern.
      'owasp:api4:2023-string-restricted',
      corsHeader,
      // Anonymous: no request can be unauthorized.
      'owasp:api8:2023-define-error-responses-401',
    ])
  })
})
