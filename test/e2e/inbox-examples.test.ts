// Runs the commands in docs/inbox.md and docs/consent.md unmodified.
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

/** The code block that contains a text. */
const block = (text: string) => blocks.find((candidate) => candidate.includes(text)) ?? assert.fail(text)

/** Runs blocks in one shell, like a reader who pastes one after the other. */
async function shell(script: string, env: Record<string, string>) {
  const { code, stdout, stderr } = await runProgram('sh', ['-c', script], {
    cwd: root,
    env: { ...process.env, ...env },
  })
  return { code, output: stdout || stderr }
}

test('documented commands submit, list, show, stream, opt-out and erase', {
  timeout: 120_000,
  skip: skipWithout('curl', 'uuidgen'),
}, async () => {
  await using service = await startService()
  const ids: string[] = []
  for (const notes of ['one', 'two']) ids.push(String((await post(service.url, { ...quote, notes })).json.id))
  const env = { INBOX: `${service.internalUrl}/leadintake.v1.LeadInboxService`, ID: ids[0] as string }
  const setUp = block('INBOX=${INBOX:-')
  const count = (output: string, text: string) => output.split(text).length - 1

  // The longest wait of all, so it goes on beside the others. Two seconds are enough for a reader, not for a busy machine.
  const streaming = shell(block('WatchLeads').replace('timeout 2 ', 'timeout 10 '), env)
  const listed = await shell(setUp, env)
  assert.equal(listed.code, 0, listed.output)
  for (const id of ids) assert.equal(count(listed.output, `"id": "${id}"`), 2, listed.output)
  // A lead without a library. The address is that of `npm start`.
  const plain = await shell(
    block("-H 'Content-Type: application/json'").replaceAll('http://localhost:9090', service.internalUrl),
    env,
  )
  assert.match(JSON.parse(plain.output).id, /^[0-9a-f-]{36}$/)
  const functions = setUp.split('\n\n')[0]
  const shown = await shell(`${functions}\n${block('call GetLead')}`, env)
  assert.equal(JSON.parse(shown.output).lead.quoteRequest.notes, 'one')
  const streamed = await streaming
  assert.equal(streamed.code, 124, streamed.output)
  for (const text of [...ids, '"cursor"']) assert.ok(streamed.output.includes(text), streamed.output)

  const optOut = `${block('call RecordOptOut')}\n${block('"contact": "(202) 555-0123"}')}`
  const stopped = await shell(`${functions}\n${optOut}`, env)
  assert.match(stopped.output, /"recordedAt"/)
  assert.equal(count(stopped.output, '"optedOutAt"'), 2, stopped.output)
  const erased = await shell(`${functions}\n${block('call EraseLead')}\n${block('call GetLead')}`, env)
  assert.match(erased.output, /"erasedAt"[\s\S]*"erased": true/)
  assert.doesNotMatch(erased.output, /Pat|clientAddress|userAgent|pageUrl/)
})
