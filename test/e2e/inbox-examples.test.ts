// Runs the commands in docs/inbox.md and docs/consent.md, one after the other, like a reader who pastes them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { post } from '../support/http.ts'
import { root, runProgram } from '../support/process.ts'
import { startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { skipWithout } from '../support/tools.ts'

const markdown = ['docs/inbox.md', 'docs/consent.md'].map((path) => readFileSync(join(root, path), 'utf8')).join('')
const blocks = [...markdown.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block as string)

test('documented commands submit, list, show, stream, opt out and erase', {
  skip: skipWithout('curl', 'uuidgen'),
}, async () => {
  await using service = await startService()
  const id = String((await post(service.url, { ...quote, notes: 'one' })).json.id)
  const env = { ...process.env, INBOX: `${service.internalUrl}/leadintake.v1.LeadInboxService`, ID: id }
  const script = [
    ...['INBOX=${INBOX:-', "-H 'Content-Type: application/json'", 'call GetLead', 'WatchLeads', 'call RecordOptOut'],
    ...['"contact": "(202) 555-0123"}', 'call EraseLead', 'call GetLead'],
  ]
    .map((text) => blocks.find((block) => block.includes(text)) ?? assert.fail(text))
    .join('\n')
    // The address is that of `npm start`. Two seconds are enough for a reader, not for a busy machine.
    .replaceAll('http://localhost:9090', service.internalUrl)
    .replace('timeout 2 ', 'timeout 10 ')
  const { stdout, stderr } = await runProgram('sh', ['-c', script], { cwd: root, env })
  const said = [`"id": "${id}"`, `"id": "${id}"`, '{"id":"', '"notes": "one"', '"cursor"', '"recordedAt"']
  const after = ['"optedOutAt"', '"erasedAt"', '"erased": true']
  assert.match(stdout, new RegExp([...said, ...after].join('[^]*')), stderr)
  assert.doesNotMatch(stdout.slice(stdout.indexOf('"erasedAt"')), /Pat|clientAddress|userAgent|pageUrl/)
})
