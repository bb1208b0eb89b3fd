// The commands of the office, as docs/consent.md gives them. Each test goes on where the one before it ended.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { post } from '../support/http.ts'
import { inboxClient, root, runCommand, runProgram, startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'

const service = await startService()
after(() => service.stop())
const env = { INTERNAL_PORT: new URL(service.internalUrl).port }
const options = { cwd: root, env: { ...process.env, ...env } }
const run = (command: string, ...args: string[]) => runCommand(command, args, env)
const person = { ...quote, consentTimestamp: undefined, phone: '202-555-0177', email: 'robin@example.org' }
const email = String(quote.email)
const inbox = inboxClient(service.internalUrl)
const submit = async (body: object) => String((await post(service.url, body)).json.id)

/** Types on a terminal that stays open, as a clerk's does: something at once, and the answer to the question. */
async function answer(text: string, command: string, args: string, early = '') {
  const line = `'${process.execPath}' src/commands/${command}.ts ${args}`
  const terminal = spawn('script', ['-qec', line, '/dev/null'], options)
  const exited = once(terminal, 'exit')
  terminal.stdin.write(early)
  let stdout = ''
  for await (const chunk of terminal.stdout) {
    stdout += chunk
    if (stdout.endsWith('[y/N] ')) terminal.stdin.write(`${text}\n`)
  }
  return { code: (await exited)[0], stdout: stdout.replaceAll('\r', '') }
}

test('an office clerk records opt-outs, and sees them where leads are shown', async () => {
  const ids: string[] = []
  for (const body of [{ ...person, notes: 'one' }, { ...person, notes: 'Please stop texting me.' }, quote])
    ids.push(await submit(body))
  const wrong = `
    a b | 2025550177 --how shouted | 2025550177 --said yesterday | 2025550177 --said 2999-01-01 | --name x | --yes
    2025550177 --said 2026-09-31 | 2025550177 --channel fax | 2025550177 --channel email | a@b.co --channel text
    --phones --csv | --channel text`
  for (const line of wrong.trim().split(/ \| |\n */)) {
    const { code, stderr } = await run('do-not-contact', ...line.split(' '))
    assert.equal(code, 64, line)
    assert.match(stderr, /expected .*\n$/, 'the reason comes last')
  }
  const unknown = await run('do-not-contact', 'nonsense', '--yes')
  assert.equal(unknown.code, 69)
  assert.match(unknown.stderr, /contact must be an e-mail address, or .* Send one address such as/)

  const said = [...'--how replied-stop --said 2026-11-20T08:00:00Z --channel text --name'.split(' '), 'Robin Example']
  const refused = await run('do-not-contact', '(202) 555-0177', ...said)
  assert.equal(refused.code, 2)
  assert.match(
    refused.stdout,
    /^Bright Home Cleaning: no more contact with \(202\) 555-0177 \(channels: text\)\.\n2 leads have it, from Pat Example, BUT NOT FROM Robin Example\.\nSaid: 2026-11-20 .*, how: replied-stop\.\nThis stops contact there with each of these people\.\nIf it is Robin Example's, answer Y, whatever .*\n$/,
  )
  assert.match(refused.stderr, /Nothing was recorded\. .* --yes/)
  const no = await answer('n', 'do-not-contact', "'(202) 555-0177'", 'y\ny')
  assert.equal(no.code, 1)
  assert.match(no.stdout, /What you typed before the question was ignored\.\s+Record it\? It cannot be taken back\./)
  assert.equal((await inbox.listOptOuts({})).optOuts.length, 0, 'nothing is recorded without a yes')
  const yes = await answer('y', 'do-not-contact', '202-555-0166 --channel phone,Text --channel text --said 2026-11-20')
  assert.deepEqual([yes.code, /No lead has it: check the spelling/.test(yes.stdout)], [0, true], yes.stdout)
  const recorded = await run('do-not-contact', '(202) 555-0177', ...said, '--yes')
  assert.match(
    recorded.stdout,
    /^Recorded: .* Leads with it, which now say so: 2\.\nThese leads also have robin@example\.org\. Record it too if it is theirs, unless they refused only text\.$/m,
  )
  // A later request with the number of somebody who opted out, whoever sends it, lifts nothing.
  ids.push(await submit({ ...person, name: 'Sam Example', email: "o'neil|x@example.org" }))
  const warned = await run('erase', '202-555-0177')
  assert.match(warned.stdout, /DO NOT CONTACT is missing: if .*, answer N and record that\./)
  for (const [index, id] of ids.entries()) {
    const { lead } = await inbox.getLead({ id })
    assert.deepEqual([lead?.optedOutAt !== undefined, lead?.possibleOptOut], [index !== 2, index === 1])
  }
  assert.match(
    (await run('leads', String(ids[1]))).stdout,
    /^opt-out +DO NOT TEXT\. READ TODAY: this may be an opt-out\nopted out +2025550177 for text, replied-stop, said 20/,
  )
  const toRead = async () => (await run('leads', '--read-today', '--json')).stdout.match(/"id":"[^"]+"/g)
  assert.deepEqual(await toRead(), [`"id":"${ids[1]}"`], 'an opt-out of one channel leaves the mark')
  const { cursor } = await inbox.listLeads({})
  await run('do-not-contact', '202-555-0177', '--yes')
  assert.equal(await toRead(), null)
  const told = []
  for await (const { lead, caughtUp } of inbox.watchLeads({ cursor })) {
    if (caughtUp) break
    told.push(`${lead?.id} ${lead?.possibleOptOut}`)
  }
  const marks = [0, 1, 3].map((index) => `${ids[index]} false`)
  assert.deepEqual(told, marks, 'consumers learn that the mark is gone')
  const halted =
    /Pat Example .*\n {2}\S{36}\n {2}DO NOT CONTACT \(opt-out recorded 20.* local time\)\. Deep clean, 3 bed/
  assert.match((await run('leads', '--name', "ex p'ät")).stdout, halted)
  assert.match((await run('leads', '--name', 'nobody')).stdout, /^No leads\. .* not searched: try --contact\.$/m)
})

test('an office clerk erases a person, whose opt-outs stay on the list', async () => {
  const erase = async (text: string) => (await answer(text, 'erase', "'(202) 555-0177'")).stdout
  const listed = '2025550177: on the do-not-contact list (channels: text; all).\n'
  const unlisted = 'robin@example.org: NOT on the do-not-contact list. After the erasure nobody can tell '
  const shown = await erase('no')
  assert(/^Bright Home Cleaning:\n/.test(shown) && shown.includes(listed + unlisted), shown)
  assert.match(shown, /\nLeads of 2 names: erase by id .*\nErase .* for good\? .*no\nNothing was erased\.\n$/)
  const erased = await erase('yes')
  assert.match(erased, /3 leads erased\.$/m)
  assert.match(erased, /also had robin@example\.org, o'neil\|x@example\.org\.[\s\S]*the mailbox[\s\S]*CSV files/)
  assert.equal((await inbox.listLeads({ contact: '2025550177' })).leads.length, 0)
  assert.match(
    (await run('do-not-contact', '202-555-0177', '--yes')).stdout,
    /No lead has it: check the spelling\. .*\n.* On the list already: text; all\.\nRecorded: .*: 0\.\n/,
  )
  const nobody = await run('erase', 'nobody@example.org', '--yes')
  assert.equal(nobody.code, 1)
  assert.match(nobody.stderr, /^No lead has nobody@example\.org: check[\s\S]*Nothing was erased .* customer/)
  const stranger = await submit({ ...quote, phone: '202-555-0199' })
  assert.match((await run('erase', stranger, '--yes')).stdout, /^1 lead erased\.$/m)
  assert.equal((await run('erase', stranger, '--yes')).code, 1)
  assert.equal((await run('erase')).code, 64)
  // The digits of an address are not its person's number.
  await submit({ ...quote, phone: '202-555-0144', email: '2025550144@example.org' })
  const sameDigits = await run('erase', '"2025550144@Example.ORG"', '--yes')
  assert.match(sameDigits.stdout, /^They also had 2025550144\. /m)
  assert.equal((await inbox.listLeads({ contact: email })).leads.length, 1, 'the other lead of a shared address stays')

  const shell = (command: string) => runProgram('sh', ['-c', command], options)
  const node = `'${process.execPath}' src/commands`
  const piped = await shell(`echo y | ${node}/erase.ts ${email}`)
  assert.deepEqual([piped.code, /^Nothing was erased\. .*--yes/.test(piped.stderr)], [2, true])
  for (const line of ['run do-not-contact 2025550177 --channel text', 'run erase 2025550177 --yes']) {
    const { code, stderr } = await runProgram('npm', line.split(' '), options)
    assert.deepEqual([code, /two dashes .* -- \.\.\. --(channel C|yes)$/m.test(stderr)], [64, true], stderr)
  }
  // Behind `head`, the work is done though no one reads what is printed.
  for (const work of [`leads.ts`, `do-not-contact.ts --yes ${email}`, `erase.ts --yes ${email}`])
    assert.equal((await shell(`${node}/${work} | true`)).stderr, '', work)
  const rest = await inbox.listLeads({ contact: email })
  const { optOuts } = await inbox.findOptOuts({ contact: email })
  assert.deepEqual([rest.leads.length, optOuts.length], [0, 1])
  await submit({ ...person, notes: 'three' })
  const otherIsListed = await run('do-not-contact', person.email, '--yes')
  assert.doesNotMatch(otherIsListed.stdout, /also have/)
})

test('an office clerk prints the list, with contacts that no lead has, or nothing when no service answers', async () => {
  const [header, , line] = (await run('do-not-contact', '--csv')).stdout.split('\r\n')
  assert.equal(header, '\ufeff"phone","email","saidAt","recordedAt","how","channels","name","recordedBy","id"')
  assert.match(
    String(line),
    /^"\+12025550177","","2026-11-20T08:00:00\.000Z","\S+Z","replied-stop","text","Robin Example","","\S{36}"$/,
  )
  assert.match(
    (await runCommand('do-not-contact', [], { ...env, TZ: 'Pacific/Honolulu' })).stdout,
    /2025550166 +2026-11-20 {2,}unspecified, phone text,\n2025550177 .*replied-stop, text, Robin Example/,
  )
  const listedOnly = /ON THE DO-NOT-CONTACT LIST: 2025550166 for phone, text, unspecified, said 2026-11-20/
  assert.match((await run('leads', '--contact', '+1 202.555.0166')).stdout, listedOnly)
  assert.match((await run('leads', '--contact', '2025550166', '--json')).stderr, listedOnly)
  assert.equal((await run('do-not-contact', '--phones')).stdout, '+12025550166\n+12025550177\n')
  assert.equal((await run('do-not-contact', '--emails')).stdout, `${email.toLowerCase()}\n${person.email}\n`)
  await service.stop()
  const down = await run('do-not-contact', '--csv')
  assert.deepEqual([down.code, down.stdout], [69, ''], 'no file that looks like an empty list')
})
