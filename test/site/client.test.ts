// /openapi.json passes a linter, and a client that a generator makes from it compiles and submits.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { newFolder } from '../support/folder.ts'
import { freshClient, get } from '../support/http.ts'
import { root } from '../support/process.ts'
import { startService } from '../support/service.ts'
import { contact, nowMs, quote } from '../support/submissions.ts'

const run = promisify(execFile)
const bin = (name: string) => join(root, 'node_modules/.bin', name)

/**
 * Without two rules: `default` has the errors of every operation, and the same under `4XX` breaks other generators; the
 * properties that `then` and `else` require are those of the whole schema.
 */
const linterConfig =
  'extends: [recommended]\nrules: { operation-4xx-response: off, no-required-schema-properties-undefined: off }\n'

/** Compiles only if problems are data. */
const program = `import { configure, type Lead, submitLead } from './client.ts'

export async function submit(lead: Lead, serverUrl: string, headers: Record<string, string>): Promise<string> {
  configure({ serverUrl, headers })
  const { data, error } = await submitLead({ body: lead })
  const problem = error as { code: string; retry: string } | undefined
  return data ? data.formType + ' ' + data.id : problem?.code + ' ' + problem?.retry
}
`

const service = await startService({}, { now: () => nowMs })
const folder = newFolder()
after(() => service.stop())

test('the document passes the linter, and a generated client compiles, submits, and gets problems as data', async () => {
  writeFileSync(join(folder, 'openapi.json'), (await get(`${service.url}/openapi.json`)).text)
  writeFileSync(join(folder, 'program.ts'), program)
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const options = { cwd: folder, env }
  writeFileSync(join(folder, 'redocly.yaml'), linterConfig)
  const lint = await run(bin('redocly'), ['lint', 'openapi.json', '--format=json'], options)
  const { totals } = JSON.parse(lint.stdout.slice(lint.stdout.indexOf('{')))
  assert.deepEqual(totals, { errors: 0, warnings: 0, ignored: 0 })
  await run(bin('redocly'), ['generate-client', 'openapi.json', '-o', 'client.ts', '--error-mode', 'result'], options)
  const strict = ['--strict', '--noEmit', '--target', 'esnext', '--module', 'preserve', '--allowImportingTsExtensions']
  const compile = ['--ignoreConfig', ...strict, '--lib', 'esnext,dom,dom.iterable', '--types', '', 'program.ts']
  const { stdout } = await run(bin('tsc'), compile, options).catch((error: { stdout: string }) => error)
  assert.equal(stdout, '')
  const { submit } = await import(pathToFileURL(join(folder, 'program.ts')).href)
  const send = (lead: object) => submit(lead, service.url, { 'X-Forwarded-For': freshClient() })

  const notes = `A family of 👩‍👧‍👦, two 🐈 and a long name.\n${'🧽'.repeat(50)}`
  assert.match(await send({ ...quote, name: 'Zoë 👩‍👧‍👦 李', notes }), /^quote [0-9a-f-]{36}$/)
  assert.match(await send({ ...contact, message: notes }), /^support [0-9a-f-]{36}$/)
  assert.equal(await send({ ...quote, phone: '1' }), 'validation_failed after_correction')
  assert.equal(await send({ ...quote, communicationsConsent: false }), 'consent_required after_correction')
})
