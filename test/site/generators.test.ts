// Programs that other people use on /openapi.json, from its address to a stored lead. Their packages are in
// test/generators, apart from the project's.
import assert from 'node:assert/strict'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { get } from '../support/http.ts'
import { newFolder, othersPackages as packages, skipWithoutOthers } from '../support/machine.ts'
import { execute, root, startService } from '../support/service.ts'
import { contact, quote } from '../support/submissions.ts'
import { sampleOf } from '../support/website.ts'

const skip = skipWithoutOthers()
const require = createRequire(join(packages, 'x.js'))
const service = await startService({ RATE_LIMIT: '100' })
const folder = newFolder()
after(async () => {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})
writeFileSync(join(folder, 'openapi.json'), (await get(`${service.url}/openapi.json`)).text)
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
if (!skip) symlinkSync(packages, join(folder, 'node_modules'))

const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
/** Runs a program of the packages on the description. */
const generate = (name: string, ...args: string[]) => execute(join(packages, '.bin', name), args, { cwd: folder, env })

/** Type-checks files. */
async function compile(files: string[], ...options: string[]): Promise<void> {
  const strict = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'esnext', '--module', 'preserve', ...options]
  const all = ['--ignoreConfig', ...strict, '--lib', 'esnext,dom,dom.iterable', '--types', '', ...files]
  const { stdout } = await execute(join(root, 'node_modules/.bin/tsc'), all, { cwd: folder }).catch((error) => error)
  assert.equal(stdout, '')
}

type Schema = { safeParse(value: unknown): { success: boolean } }
interface Client {
  schema: Schema
  submit(url: string, lead: object): Promise<object>
}

/** Loads a program that uses generated files. */
async function load(name: string, program: string): Promise<Client> {
  writeFileSync(join(folder, `${name}.ts`), program)
  const outfile = join(folder, 'built', `${name}.cjs`)
  const entryPoints = [join(folder, `${name}.ts`)]
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'cjs' })
  return import(pathToFileURL(outfile).href)
}

/** A generated schema takes both kinds, and no wrong value. */
function reads(schema: Schema): void {
  const wrong = [
    { ...quote, phone: '1' },
    { ...contact, formType: 'other' },
    { ...quote, email: 'nobody' },
  ]
  const results = [quote, contact, ...wrong].map((body) => schema.safeParse(body).success)
  assert.deepEqual(results, [true, true, false, false, false])
}

/**
 * Without two rules: `default` has the errors of every operation, and the same under `4XX` breaks other generators; the
 * properties that `then` and `else` require are those of the whole schema.
 */
const linterConfig =
  'extends: [recommended]\nrules: { operation-4xx-response: off, no-required-schema-properties-undefined: off }\n'

/** Generators of a client and a schema: how each is called, what it writes, and a program that exports both. */
const generators: [name: string, command: string[], files: string[], program: string][] = [
  [
    '@hey-api/openapi-ts with zod',
    'openapi-ts -i openapi.json -o hey -p @hey-api/typescript -p @hey-api/sdk -p @hey-api/client-fetch -p zod'.split(
      ' ',
    ),
    ['hey/index.ts', 'hey/zod.gen.ts'],
    `import { client } from './hey/client.gen'
import { submitLead } from './hey/sdk.gen'
export { zLead as schema } from './hey/zod.gen'
export const submit = async (baseUrl, body) => (client.setConfig({ baseUrl }), (await submitLead({ body })).data)`,
  ],
  [
    'orval',
    'orval --config orval.config.mjs'.split(' '),
    ['orval.ts', 'orval-zod.ts'],
    `import { submitLead } from './orval'
export { SubmitLeadBody as schema } from './orval-zod'
export const submit = async (url, lead) => (await submitLead(lead)).data`,
  ],
]
const orvalConfig = {
  client: { input: 'openapi.json', output: { target: 'orval.ts', client: 'fetch', baseUrl: service.url } },
  zod: { input: 'openapi.json', output: { target: 'orval-zod.ts', client: 'zod' } },
}
writeFileSync(join(folder, 'orval.config.mjs'), `export default ${JSON.stringify(orvalConfig)}`)

suite('from /openapi.json to a stored lead', { skip }, () => {
  test('Redocly finds no fault', async () => {
    writeFileSync(join(folder, 'redocly.yaml'), linterConfig)
    const { stdout } = await generate('redocly', 'lint', 'openapi.json', '--format=json')
    const { totals } = JSON.parse(stdout.slice(stdout.indexOf('{')))
    assert.deepEqual(totals, { errors: 0, warnings: 0, ignored: 0 })
  })

  for (const [name, command, files, program] of generators)
    test(name, async () => {
      await generate(...(command as [string, ...string[]]))
      await compile(files)
      const { schema, submit } = await load(`use-${command[0]}`, program)
      reads(schema)
      for (const [formType, lead] of [
        ['quote', { ...quote, notes: name }] as const,
        ['support', { ...contact, message: name }] as const,
      ])
        assert.partialDeepStrictEqual(await submit(service.url, lead), { formType })
    })

  test('an MCP bridge, by the MCP SDK', async () => {
    const sdk = (path: string) =>
      import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/client/${path}.js`)).href)
    const [{ Client }, { StdioClientTransport }] = await Promise.all([sdk('index'), sdk('stdio')])
    const bridge = join(packages, '@ivotoby/openapi-mcp-server/bin/mcp-server.js')
    const args = [bridge, '--api-base-url', service.url, '--openapi-spec', join(folder, 'openapi.json')]
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }))
    try {
      const tools: { name: string; inputSchema: Record<string, object> }[] = (await client.listTools()).tools
      assert.equal(tools.length, 7)
      const tool = tools.find(({ inputSchema }) => 'helpWith' in (inputSchema.properties ?? {}))
      assert(tool?.inputSchema.properties)
      const fields = [...Object.keys(quote), ...Object.keys(contact), 'Idempotency-Key', 'Consent-Version']
      assert.deepEqual(new Set(Object.keys(tool.inputSchema.properties)), new Set(fields))
      assert.deepEqual(tool.inputSchema.required, ['name', 'phone', 'email'])
      const values = { ...contact, message: 'mcp', 'Idempotency-Key': 'mcp-1' }
      const { content, isError } = await client.callTool({ name: tool.name, arguments: values })
      assert(!isError, JSON.stringify(content))
      assert.partialDeepStrictEqual(JSON.parse(content[0].text), { formType: 'support' })
    } finally {
      await client.close()
    }
  })

  test('the import of Postman, with the examples', async () => {
    const converter = require('openapi-to-postmanv2')
    const data = JSON.stringify(await (await fetch(`${service.url}/openapi.json`)).json())
    const options = { requestParametersResolution: 'Example', exampleParametersResolution: 'Example' }
    const { output } = await new Promise<{ output: [{ data: Item }] }>((done, fail) =>
      converter.convert({ type: 'string', data }, options, (error: unknown, result: never) =>
        error ? fail(error) : done(result),
      ),
    )
    const requests = flatten(output[0].data)
    assert.equal(requests.length, 7)
    for (const { method, header, url, body } of requests) {
      const headers = Object.fromEntries(header.map(({ key, value }) => [key, value]))
      const answer = await fetch(`${service.url}/${url.path.join('/')}`, { method, headers, body: body?.raw ?? null })
      // The alias gets the same body with the same key: a replay.
      assert.equal(answer.status, method === 'POST' ? 201 : 200, `${url.path}: ${await answer.text()}`)
    }
  })
})

type Request = {
  method: string
  header: { key: string; value: string }[]
  url: { path: string[] }
  body?: { raw: string }
}
interface Item {
  item?: Item[]
  request?: Request
}

/** The requests of a collection, whatever its folders. */
const flatten = ({ item = [], request }: Item): Request[] => [...(request ? [request] : []), ...item.flatMap(flatten)]

test('the types of /website-forms for React', { skip: skipWithoutOthers('@types/react') }, async () => {
  const types = await sampleOf(service.url, 'ts For TypeScript in React, in a .d.ts file')
  writeFileSync(join(folder, 'lead-form.d.ts'), types)
  const form = '<lead-form kind="quote" services="Windows" className="form">Call <b>us</b>.</lead-form>'
  writeFileSync(join(folder, 'page.tsx'), `export const page = ${form}`)
  await compile(['lead-form.d.ts', 'page.tsx'], '--jsx', 'react-jsx')
})
