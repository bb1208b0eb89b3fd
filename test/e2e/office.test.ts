// The commands of the office, as docs/consent.md gives them: record an opt-out, print the list, erase a person.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { post } from '../support/http.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { root, runCommand, runProgram } from '../support/process.ts'
import { startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'

test('a clerk records opt-outs, prints the list, and erases a person', async () => {
  await using service = await startService()
  const env = { INTERNAL_PORT: new URL(service.internalUrl).port }
  const run = (command: string, ...args: string[]) => runCommand(command, args, env)
  const person = { ...quote, consentTimestamp: undefined, phone: '202-555-0177', email: 'robin@example.org' }
  const ids: string[] = []
  for (const body of [{ ...person, notes: 'one' }, { ...person, notes: 'Please stop texting me.' }, quote])
    ids.push(String((await post(service.url, body)).json.id))

  const said = ['--how', 'replied-stop', '--said', '2026-11-20T08:00:00Z', '--channel', 'text']
  const recorded = await run('do-not-contact', '(202) 555-0177', ...said, '--name', 'Robin Example')
  assert.equal(recorded.code, 0, recorded.stderr)
  assert.match(
    recorded.stdout,
    /^Recorded: .* Leads with it, which now say so: 2\.\nTheir leads also have robin@example\.org\. .*\n/,
  )
  // A later request with the number of somebody who opted out, whoever sends it, lifts nothing.
  ids.push(String((await post(service.url, { ...person, email: "o'neil|x@example.org", notes: 'two' })).json.id))
  const inbox = inboxClient(service.internalUrl)
  for (const [index, id] of ids.entries()) {
    const { lead } = await inbox.getLead({ id })
    assert.deepEqual([lead?.optedOutAt !== undefined, lead?.possibleOptOut], [index !== 2, index === 1])
  }
  assert.match(
    (await run('leads', String(ids[1]))).stdout,
    /^opt-out +DO NOT CONTACT\. READ TODAY: this may be an opt-out\nopted out +2025550177 for text, replied-stop, said 20/,
  )
  assert.match((await run('leads', String(ids[3]))).stdout, /^opt-out +DO NOT CONTACT: .* check by hand\n/)

  const [header, line] = (await run('do-not-contact', '--csv')).stdout.split('\r\n')
  assert.equal(header, '\ufeff"phone","email","saidAt","recordedAt","how","channels","name","recordedBy","id"')
  assert.match(
    String(line),
    /^"\+12025550177","","2026-11-20T08:00:00\.000Z","\S+Z","replied-stop","text","Robin Example","","\S{36}"$/,
  )
  assert.match((await run('do-not-contact')).stdout, /2025550177 .*replied-stop, text, Robin Example/)

  const shell = (command: string) => runProgram('sh', ['-c', command], { cwd: root, env: { ...process.env, ...env } })
  const node = `'${process.execPath}' src/commands`
  const erase = async (answer: string) => (await shell(`echo ${answer} | ${node}/erase.ts '(202) 555-0177'`)).stdout
  assert.match(await erase('no'), /2.5 bath[\s\S]*Nothing was erased\.$/m)
  const erased = await erase('yes')
  assert.match(erased, /^3 leads erased\.$/m)
  assert.match(erased, /also had robin@example\.org, o'neil\|x@example\.org\.[\s\S]*the mailbox[\s\S]*CSV files/)
  assert.equal((await inbox.listLeads({ contact: '2025550177' })).leads.length, 0)
  assert.equal((await inbox.findOptOuts({ contact: '2025550177' })).optOuts.length, 1, 'the list survives')
  const wrong = ['a b', '2025550177 --how shouted', '2025550177 --said yesterday', '2025550177 --channel fax']
  for (const line of [...wrong, '--name x', '--channel text', '--cert a']) {
    const { code, stderr } = await run('do-not-contact', ...line.split(' '))
    assert.equal(code, 64, line)
    assert.match(stderr, /expected .*\n$/, 'the reason comes last')
  }
  const unknown = await run('do-not-contact', 'nonsense')
  assert.equal(unknown.code, 69)
  assert.match(unknown.stderr, /contact must be an e-mail address, or .* Send one address such as/)
  assert.match(
    (await run('do-not-contact', '202-555-0188')).stdout,
    /^Recorded: .* No lead has it: check the number\.\n/,
  )
  assert.equal((await run('erase')).code, 64)
  const nobody = await run('erase', '--contact', 'nobody@example.org', '--yes')
  assert.deepEqual([nobody.code, nobody.stdout.slice(0, 25)], [0, 'Nothing is left to erase.'])
  const email = String(quote.email)
  const stranger = String((await post(service.url, { ...quote, phone: '202-555-0199' })).json.id)
  assert.match((await run('erase', stranger, '--yes')).stdout, /^1 lead erased\.$/m)
  assert.match((await run('erase', stranger, '--yes')).stdout, /^Nothing is left/)
  assert.equal((await inbox.listLeads({ contact: email })).leads.length, 1, 'the other lead of a shared address stays')
  // Behind `head`, the work is done though no one reads what is printed.
  for (const work of [`leads.ts`, `do-not-contact.ts ${email}`, `erase.ts --yes --contact ${email}`])
    assert.equal((await shell(`${node}/${work} | true`)).stderr, '', work)
  const rest = await inbox.listLeads({ contact: email })
  const { optOuts } = await inbox.findOptOuts({ contact: email })
  assert.deepEqual([rest.leads.length, optOuts.length], [0, 1])
  await service.stop()
  const down = await run('do-not-contact', '--csv')
  assert.deepEqual([down.code, down.stdout], [69, ''], 'no file that looks like an empty list')
})
