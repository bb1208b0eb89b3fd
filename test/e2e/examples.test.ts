import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { type Service, startService } from '../support/service.ts'

const run = promisify(execFile)
let service: Service
let markdown: string
let folder: string
before(async () => {
  service = await startService({ DUPLICATE_WINDOW_HOURS: '0', RATE_LIMIT: '100' })
  markdown = await (await fetch(`${service.url}/api-docs`, { headers: { Accept: 'text/markdown' } })).text()
  folder = mkdtempSync(join(tmpdir(), 'examples-'))
})
after(async () => {
  rmSync(folder, { recursive: true, force: true })
  await service.stop()
})

/** The first example in a language, as a reader copies it. */
function example(language: string): string {
  const [, source] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(markdown) ?? []
  assert(source, language)
  return source
}

suite('the examples in the reference, as they stand', () => {
  test('curl stores a lead', async () => {
    const { stdout } = await run('sh', ['-c', example('sh')])
    assert.match(stdout, /^HTTP\/1\.1 201 Created\r\n/)
  })

  test('TypeScript stores a lead, and says what to correct when it is refused', async () => {
    const file = join(folder, 'example.ts')
    writeFileSync(file, example('ts'))
    assert.match((await run(process.execPath, [file])).stdout, /^stored as [0-9a-f-]{36}\n$/)
    writeFileSync(file, example('ts').replace('(202) 555-0123', '555'))
    const { stdout, stderr } = await run(process.execPath, [file])
    assert.equal(stdout, '')
    assert.match(stderr, /validation_failed Correct every entry of errors[\s\S]*#\/phone/)
  })

  test('TypeScript waits for as long as it is told to, and keeps its key', async () => {
    const keys: (string | undefined)[] = []
    const strained = createServer((request, response) => {
      keys.push(request.headers['idempotency-key'] as string | undefined)
      const busy = keys.length < 3
      response.writeHead(busy ? 503 : 201, { 'Retry-After': '0' })
      response.end(JSON.stringify(busy ? { code: 'overloaded', retryable: true } : { id: 'third time lucky' }))
    }).listen(0, '127.0.0.1')
    await once(strained, 'listening')
    const file = join(folder, 'waits.ts')
    writeFileSync(
      file,
      example('ts').replaceAll(service.url, `http://127.0.0.1:${(strained.address() as AddressInfo).port}`),
    )
    assert.equal((await run(process.execPath, [file])).stdout, 'stored as third time lucky\n')
    assert.equal(keys.length, 3)
    assert.equal(new Set(keys).size, 1)
    assert.match(keys[0] ?? '', /^"[0-9a-f-]{36}"$/)
    strained.close()
  })
})
