// A consumer process that reads every lead from the first on and checks their order. It is a separate process because
// node:test tracks all promises of its own process, which would cost more than the consumer itself. Arguments: the URL
// of the internal listener, and the number of leads, whose ids end in 1, 2, 3 and so on.
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
// The open connection would keep the process alive.
process.exit()
