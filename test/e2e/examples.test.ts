import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { post } from '../support/http.ts'
import { newFolder, skipWithout } from '../support/machine.ts'
import { listen } from '../support/ports.ts'
import { execute, root, runProgram, startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'

const service = await startService({ DUPLICATE_WINDOW_HOURS: '0', RATE_LIMIT: '100' })
const markdown = await (await fetch(`${service.url}/developers.md`)).text()
const reference = await (await fetch(`${service.url}/api-docs.md`)).text()
const folder = newFolder()
after(() => service.stop())

/** The first example in a language, as a reader copies it. */
function example(language: string): string {
  const [, source] = new RegExp(`\`\`\`${language} .*\\n([\\s\\S]*?)\`\`\``).exec(markdown) ?? []
  assert(source, language)
  return source
}

/** Fills in a sample's placeholders, as a reader does. */
function fillIn(sample: string): string {
  return sample
    .replace("YOUR CUSTOMER'S NAME", 'Pat Example')
    .replace("YOUR CUSTOMER'S PHONE", '(202) 555-0123')
    .replace("YOUR CUSTOMER'S E-MAIL", 'pat@example.com')
    .replace('HOW MANY, SUCH AS 3', '3')
    .replace('HOW MANY, SUCH AS 2.5', '2.5')
    .replace(/(communicationsConsent\W+)false/, '$1true')
    .replace(/(communicationsConsent\W+)False/, '$1True')
}

/** The WordPress functions that the PHP sample calls, in plain PHP. */
const wordPress = readFileSync(join(root, 'test/fixtures/wordpress.php'), 'utf8')

/** Runs a script and returns its output and errors. */
const outputOf = async (command: string, path: string) => Object.values(await execute(command, [path])).join('')

test('the curl sample is refused for each placeholder in it, and stores a lead once filled in, with a new key each time', {
  skip: skipWithout('curl', 'uuidgen'),
}, async () => {
  await using strict = await startService({ TEST_LEADS: 'reject' })
  const [, message = ''] = /### Contact message[\s\S]*?```json .*\n([\s\S]*?)\n```/.exec(reference) ?? []
  const ofMessage = example('sh').replace(/\{\n[\s\S]*\n\}/, message)
  for (const [sample, placeholders] of [
    [example('sh'), 7],
    [ofMessage, 5],
  ] as const) {
    const refused = await execute('sh', ['-c', sample.replaceAll(service.url, strict.url)])
    assert.match(refused.stdout, /^HTTP\/1\.1 422 /)
    assert.equal(refused.stdout.match(/"code": ?"placeholder"/g)?.length, placeholders)
  }
  for (let count = 0; count < 2; count++) {
    const { stdout } = await execute('sh', ['-c', fillIn(example('sh'))])
    assert.match(stdout, /^HTTP\/1\.1 201 Created\r\n/)
    assert.doesNotMatch(stdout, /Idempotency-Replayed/)
  }
  const { stdout } = await execute('sh', ['-c', fillIn(ofMessage)])
  assert.match(stdout, /^HTTP\/1\.1 201 Created\r\n[\s\S]*"formType":"support"/)
})

for (const [language, skip, command, file, before] of [
  ['ts', false, process.execPath, 'sample.ts', ''],
  ['python', skipWithout('python3'), 'python3', 'sample.py', ''],
  ['php', skipWithout('php'), 'php', 'sample.php', wordPress],
] as const) {
  test(`the ${language} sample stores a lead, says what to correct, and retries with one key`, { skip }, async () => {
    const path = join(folder, file)
    writeFileSync(path, before + fillIn(example(language)))
    assert.match(await outputOf(command, path), /^stored as [0-9a-f-]{36}\n$/)
    writeFileSync(path, before + example(language))
    const output = await outputOf(command, path)
    assert.doesNotMatch(output, /stored/)
    assert.match(output, /^(?:validation_failed|consent_required) [A-Z][\s\S]*#\\?\/phone/)

    // Then after refusals that are no attempts, after a proxy's error, and after a lost answer, with the same key.
    const keys: (string | undefined)[] = []
    const strained = createServer((request, response) => {
      keys.push(request.headers['idempotency-key'] as string | undefined)
      if (keys.length === 5) request.socket.destroy()
      else if (keys.length === 4) response.writeHead(502).end('<html>Bad Gateway</html>')
      else if (keys.length < 4) response.writeHead(429, { 'Retry-After': '0' }).end('{"retryable":true}')
      else response.writeHead(201).end('{"id":"third time"}')
    })
    const patient = before + fillIn(example(language))
    const url = `http://127.0.0.1:${await listen(strained)}`
    // Without the waits of several seconds.
    const waits = /2 \* \$?attempt|Math\.random\(\) \* 10|random\.uniform\(0, 10\)|wp_rand\( 0, 10 \)/g
    writeFileSync(path, patient.replaceAll(service.url, url).replaceAll(waits, '0'))
    assert.equal(await outputOf(command, path), 'stored as third time\n')
    strained.close()
    assert.deepEqual([keys.length, new Set(keys).size], [6, 1])
    assert.match(keys[0] ?? '', /^[0-9a-f-]{36}$/)
  })
}

const internal = ['docs/inbox.md', 'docs/consent.md'].map((path) => readFileSync(join(root, path), 'utf8')).join('')
const blocks = [...internal.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block as string)

test('documented commands submit, list, show, stream, opt out and erase', {
  skip: skipWithout('curl', 'uuidgen'),
}, async () => {
  await using service = await startService()
  const id = String((await post(service.url, { ...quote, notes: 'one' })).json.id)
  const env = { ...process.env, INBOX: `${service.internalUrl}/leadintake.v1.LeadInboxService`, ID: id }
  const script = [
    ...['INBOX=${INBOX:-', "-H 'Content-Type: application/json'", 'call GetLead', 'WatchLeads', 'call RecordOptOut'],
    ...['call GetLead', 'call EraseLead', 'call GetLead'],
  ]
    .map((text) => blocks.find((block) => block.includes(text)) ?? assert.fail(text))
    .join('\n')
    // The address is that of `npm start`. Two seconds are enough for a reader, not for a busy machine.
    .replaceAll('http://localhost:9090', service.internalUrl)
    .replace('timeout 2 ', 'timeout 10 ')
  const { stdout, stderr } = await runProgram('sh', ['-c', script], { cwd: root, env })
  const said = [`"id": "${id}"`, '{"id":"', `"id": "${id}"`, '"notes": "one"', '"cursor"', '"recordedAt"']
  const after = ['"optedOutAt"', '"erasedAt"', '"erased": true']
  assert.match(stdout, new RegExp([...said, ...after].join('[^]*')), stderr)
  assert.doesNotMatch(stdout.slice(stdout.indexOf('"erasedAt"')), /Pat|clientAddress|userAgent|pageUrl/)
})
