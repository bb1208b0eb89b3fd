// examples/php: a follower without a library, through a restart of the service, an erasure, an opt-out and a restore.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder } from '../support/folder.ts'
import { post } from '../support/http.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { freePorts } from '../support/ports.ts'
import { root } from '../support/process.ts'
import { startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { skipWithout } from '../support/tools.ts'
import { until } from '../support/until.ts'

interface Copy {
  cursor: string
  leads: Record<string, { erased?: boolean; optedOutAt?: string; quoteRequest?: { notes: string } }>
}

test('the follower in PHP keeps a copy of every lead', { skip: skipWithout('php') }, async (t) => {
  const home = newFolder()
  const [port] = await freePorts(1)
  const start = (name: string) =>
    startService({
      INTERNAL_PORT: String(port),
      DATABASE_URL: `sqlite:${join(home, name)}`,
    })
  const file = join(home, 'crm.json')
  const program = spawn('php', [join(root, 'examples/php/follow_leads.php'), `http://127.0.0.1:${port}`, file])
  let said = ''
  program.stderr.on('data', (chunk) => (said += chunk))
  t.after(async () => {
    program.kill()
    await once(program, 'exit')
  })
  const copy = (): Copy => JSON.parse(readFileSync(file, 'utf8'))
  const leadOf = (id: string) => {
    try {
      return copy().leads[id]
    } catch {
      return undefined // It has not written its file yet.
    }
  }
  const has = (what: string, holds: () => unknown) =>
    until(what, () => Boolean(holds()), { withinMs: 30_000 }).catch((error) => {
      throw new Error(said, { cause: error })
    })

  let service = await start('leads.db')
  t.after(() => service.stop())
  const submit = async (notes: string, phone = quote.phone) =>
    String((await post(service.url, { ...quote, notes, phone })).json.id)
  const [erased, halted] = [await submit('to erase'), await submit('to opt out', '(202) 555-0177')]
  await has('both leads', () => leadOf(halted))
  assert.equal(leadOf(erased)?.quoteRequest?.notes, 'to erase')
  assert.deepEqual([leadOf(erased)?.erased, leadOf(erased)?.optedOutAt], [undefined, undefined])
  await inboxClient(service.internalUrl).eraseLead({ id: erased })
  await inboxClient(service.internalUrl).recordOptOut({ contact: '(202) 555-0177' })
  await has('the erasure', () => leadOf(erased)?.erased && leadOf(erased)?.quoteRequest === undefined)
  await has('the opt-out', () => leadOf(halted)?.optedOutAt)

  await service.stop()
  service = await start('leads.db')
  const later = await submit('after the restart')
  await has('a lead after a restart', () => leadOf(later))

  // A database that does not know the cursor, as after a restore.
  await service.stop()
  service = await start('other.db')
  const other = await submit('of another database')
  await has('a lead of another database', () => leadOf(other))
  assert.match(said, /"code":"out_of_range"/)
  assert.deepEqual(Object.keys(copy().leads).sort(), [erased, halted, later, other].sort())
  await service.stop()
})
