// Clients from three generators, made from /openapi.json, compile, distinguish the two kinds, and submit. Prism,
// between a caller and the service, sees no undocumented answer. Their dependencies are in a separate package.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, suite, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { freshClient, get, post } from '../support/http.ts'
import { root } from '../support/process.ts'
import { type Service, startService } from '../support/service.ts'
import { contact, nowMs, quote } from '../support/submissions.ts'
import { skipWithoutGenerators } from './installed.ts'

const run = promisify(execFile)
const home = join(root, 'generators')
const bin = (name: string) => join(home, 'node_modules/.bin', name)

/** What each generator must generate into its folder. */
const generators: Record<string, [command: string, args: string[]]> = {
  'openapi-typescript': [bin('openapi-typescript'), ['openapi.json', '-o', 'openapi-typescript/schema.d.ts']],
  'hey-api': [bin('openapi-ts'), ['-i', 'openapi.json', '-o', 'hey-api', '-c', '@hey-api/client-fetch']],
  orval: [bin('orval'), ['--config', 'orval.config.mjs']],
}

let service: Service
let folder: string

before(async () => {
  if (skipWithoutGenerators) return
  service = await startService({}, { now: () => nowMs })
  // Below node_modules, so that the clients find their libraries and other tools ignore them.
  mkdirSync(join(home, 'node_modules/.cache'), { recursive: true })
  folder = mkdtempSync(join(home, 'node_modules/.cache/clients-'))
  cpSync(join(home, 'clients'), folder, { recursive: true })
  writeFileSync(join(folder, 'openapi.json'), (await get(`${service.url}/openapi.json`)).text)
  const input = './openapi.json'
  const orval = {
    client: { input, output: { target: './orval/client.ts', client: 'fetch', mode: 'single', baseUrl: service.url } },
    zod: { input, output: { target: './orval/zod.ts', client: 'zod', mode: 'single' } },
  }
  writeFileSync(join(folder, 'orval.config.mjs'), `export default ${JSON.stringify(orval)}`)
})
after(async () => {
  if (skipWithoutGenerators) return
  rmSync(folder, { recursive: true, force: true })
  await service.stop()
})

suite('a generated client', { skip: skipWithoutGenerators }, () => {
  for (const [name, [command, args]] of Object.entries(generators)) {
    test(`of ${name} compiles, submits, and gets problems as data`, async () => {
      await run(command, args, { cwd: folder, env: { ...process.env, CI: 'true', DO_NOT_TRACK: '1' } })
      const strict = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'esnext', '--module', 'preserve']
      const { stdout } = await run(
        join(root, 'node_modules/.bin/tsc'),
        ['--ignoreConfig', ...strict, '--lib', 'esnext,dom,dom.iterable', '--types', '', `${name}.ts`],
        { cwd: folder },
      ).catch((error: { stdout: string }) => error)
      assert.equal(stdout, '')
      const outfile = join(folder, `${name}.mjs`)
      await build({ entryPoints: [join(folder, `${name}.ts`)], outfile, bundle: true, platform: 'node', format: 'esm' })
      const { submit, topic } = await import(pathToFileURL(outfile).href)
      const send = (lead: object) => submit(lead, service.url, { 'X-Forwarded-For': freshClient() })

      const notes = `A family of 👩‍👧‍👦, two 🐈 and a long name. For ${name}.\n${'🧽'.repeat(50)}`
      assert.match(await send({ ...quote, name: 'Zoë 👩‍👧‍👦 李', notes }), /^quote [0-9a-f-]{36}$/)
      assert.match(await send({ ...contact, message: notes }), /^support [0-9a-f-]{36}$/)
      assert.equal(await send({ ...quote, phone: '1' }), 'validation_failed after_correction')
      assert.equal(await send({ ...quote, name: 'a\u202eb' }), 'validation_failed after_correction')
      assert.equal(await send({ ...quote, communicationsConsent: false }), 'consent_required after_correction')
      assert.deepEqual([topic(contact), topic(quote)], [contact.helpWith, quote.bedrooms])
    })
  }
})

suite('Prism as a validating proxy', { skip: skipWithoutGenerators }, () => {
  test('sees no answer that the description does not allow', async () => {
    const proxy = spawn(process.execPath, ['proxy.js', join(folder, 'openapi.json'), service.url], {
      cwd: home,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      const lines = createInterface(proxy.stdout)
      // It prints its origin, or exits.
      const url = String(await Promise.race([once(lines, 'line'), once(lines, 'close')]))
      const lead = { ...quote, notes: 'Through a proxy.' }
      const key = { 'Idempotency-Key': '"through a proxy"' }
      const client = freshClient()
      const answers = [
        await post(url, lead, { headers: key, client }),
        await post(url, lead, { headers: key, client }),
        await post(url, lead),
        await post(url, { ...contact, message: 'Through a proxy.' }),
        await post(url, { ...lead, phone: '1', beds: '3' }),
        await post(url, { ...lead, communicationsConsent: false }),
        await post(url, { ...lead, notes: 'Other.' }, { headers: key, client }),
        await post(url, [lead]),
        await post(url, { ...lead, notes: 'x'.repeat(20_000) }),
        await post(url, lead, { headers: { 'Content-Encoding': 'zstd' } }),
        await post(url, lead, { path: '/api/leads' }),
        await post(url, { ...lead, phone: '1' }, { path: '/api/leads' }),
        ...(await Promise.all(
          ['/api/v1', '/.well-known/api-catalog', '/openapi.json', '/llms.txt', '/api-docs'].map((path) =>
            get(url + path),
          ),
        )),
        await get(`${url}/api-docs`, { Accept: 'text/markdown' }),
      ]
      const limited = freshClient()
      for (let count = 0; count < 10; count++) await post(url, lead, { client: limited })
      answers.push(await post(url, lead, { client: limited }))
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 201, 200, 201, 422, 422, 422, 400, 413, 415, 200, 422, 200, 200, 200, 200, 200, 200, 429],
      )
      for (const answer of answers) {
        const violations = JSON.parse(answer.headers.get('sl-violations') ?? '[]') as { location: string[] }[]
        // Violations by an intentionally invalid request are not the service's fault.
        const ours = violations.filter(({ location }) => answer.status < 400 || location[0] !== 'request')
        assert.deepEqual(ours, [], answer.text.slice(0, 200))
      }
    } finally {
      proxy.kill()
    }
  })
})
