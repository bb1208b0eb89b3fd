// A consumer in a process of its own, which takes every lead from the first one on and checks their order. node:test
// follows the promises of its own process, which would cost more there than all that a consumer does.
// Arguments: the URL of the internal listener and the number of leads, with ids that end in 1, 2, 3 and so on.
import assert from 'node:assert/strict'
import { inboxClient } from './inbox-client.ts'

const [internalUrl = '', total = ''] = process.argv.slice(2)

const startedMs = performance.now()
let count = 0
for await (const { lead } of inboxClient(internalUrl).watchLeads({})) {
  count++
  assert.equal(Number.parseInt(String(lead?.id.slice(-12)), 16), count)
  if (count === Number(total)) break
}
console.log(((count / (performance.now() - startedMs)) * 1_000).toFixed(0))
// The connection stays open for further calls, and would keep the process.
process.exit()
