// examples/leads-to-mail with service and mail server: an outage, a crash, an erasure, an opt-out, a refused message.
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, suite, test } from 'node:test'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { Channel } from '../../src/gen/leadintake/v1/lead_pb.ts'
import { erasedLead, nowMs, quoteLead } from '../commands/leads.ts'
import { mailHome, skipWithoutMail } from '../support/consumers.ts'
import { post } from '../support/http.ts'
import { newFolder } from '../support/machine.ts'
import { freePorts } from '../support/ports.ts'
import { inboxClient, root, type Service, startService } from '../support/service.ts'
import { type Mail, type SmtpServer, startSmtpServer } from '../support/smtp-server.ts'
import { contact, quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'

suite('leads to e-mail', { skip: skipWithoutMail }, () => {
  const folder = newFolder()
  let service: Service
  let smtp: SmtpServer
  let smtpPort: number
  let child: ChildProcess
  let output = ''

  const env = (more = {}) =>
    ({ PATH: process.env.PATH, STATE_FILE: join(folder, 'mail.db'), ...more }) as NodeJS.ProcessEnv
  const start = () => {
    const addresses = { MAIL_FROM: 'leads@example.com', MAIL_TO: 'office@example.com' }
    const servers = { INBOX_URL: service.internalUrl, SMTP_URL: `smtp://127.0.0.1:${smtpPort}` }
    child = spawn(process.execPath, [join(mailHome, 'main.ts')], { env: env({ ...addresses, ...servers }) })
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  }
  /** The exit code and output of status.ts. */
  const status = () => {
    const ended = spawnSync(process.execPath, [join(mailHome, 'status.ts')], { env: env(), encoding: 'utf8' })
    return `${ended.status} ${ended.stdout.trim()}`
  }
  const end = async (signal: NodeJS.Signals) => {
    const exited = once(child, 'exit')
    child.kill(signal)
    return (await exited)[0]
  }
  const submit = async (body: object) => String((await post(service.url, body)).json.id)
  const inbox = () => inboxClient(service.internalUrl)
  const idOf = ({ headers }: Mail) => headers.get('message-id')
  const about = (id: string) => smtp.mails.filter((mail) => idOf(mail)?.startsWith(`<${id}`))
  const sent = (id: string) => until(`a message about ${id}`, () => output.includes(`Z sent <${id}`))

  before(async () => {
    service = await startService()
    smtpPort = (await freePorts(1))[0] ?? 0
  })
  after(async () => {
    child?.kill('SIGKILL')
    await smtp?.[Symbol.asyncDispose]()
    await service?.stop()
  })

  test('compiles, and sends each lead once when the mail server is back, and no erased one', async () => {
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', mailHome], { stdio: 'pipe' })
    const erased = await submit({ ...quote, name: 'Gone Example' })
    await inbox().eraseLead({ id: erased })
    const first = await submit({ ...quote, name: '<b>Pat</b> Example', notes: 'One & two.\nThree.' })
    start()
    const refused = new RegExp(`not sent <${first}@example.com>: E(CONNECTION|SOCKET)`)
    await until('a failed attempt', () => refused.test(output))
    assert.match(status(), /^0 not sent for \d+ s; the oldest unsent lead is \d+ s old$/)
    const db = new DatabaseSync(join(folder, 'mail.db'), { timeout: 5_000 })
    db.exec('UPDATE status SET failing_ms = failing_ms - 300000')
    db.close()
    assert.match(status(), /^1 not sent for 3\d\d s/)
    smtp = await startSmtpServer(smtpPort)
    const second = await submit(contact)
    await sent(second)
    await until('a good status', () => /^0 heard from the service \d s ago$/.test(status()))
    assert.deepEqual(smtp.mails.map(idOf), [`<${first}@example.com>`, `<${second}@example.com>`])
    const [{ headers, body }] = smtp.mails as [Mail]
    const shown = ['subject', 'to', 'reply-to'].map((name) => headers.get(name))
    assert.deepEqual(shown, ['Quote request from <b>Pat</b> Example', 'office@example.com', 'Pat.Example@example.com'])
    assert.match(body, /Phone: \(202\) 555-0123\n/)
    assert.match(body, /&lt;b&gt;Pat&lt;\/b&gt; Example/)
    assert.ok(!body.split('text/html')[1]?.includes('<b>'), body)
    assert.ok(!output.includes('Pat'), output)
  })

  test('sends the same message again after a crash, and none that was recorded as sent', async () => {
    smtp.answer = () => undefined
    const id = await submit({ ...quote, notes: 'crash' })
    await until('the message', () => about(id).length === 1)
    await end('SIGKILL')
    smtp.answer = () => '250 taken'
    const before = smtp.mails.length
    start()
    await sent(id)
    assert.deepEqual(smtp.mails.slice(before).map(idOf), [`<${id}@example.com>`])
    const [one, again] = about(id) as [Mail, Mail]
    for (const name of ['message-id', 'date', 'subject']) assert.equal(again.headers.get(name), one.headers.get(name))
  })

  test("reports an opt-out and an erasure in the same thread, without the customer's data", async () => {
    const id = await submit({ ...quote, email: 'robin@example.org', phone: '202-555-0177', notes: 'opt-out' })
    await sent(id)
    await inbox().recordOptOut({ contact: '202-555-0177' })
    await until('the opt-out', () => about(id).length === 2)
    await inbox().eraseLead({ id })
    await until('the erasure', () => about(id).length === 3)
    const [, optOut, erasure] = about(id) as [Mail, Mail, Mail]
    assert.deepEqual([optOut, erasure].map(idOf), [`<${id}.opt-out@example.com>`, `<${id}.erasure@example.com>`])
    for (const { headers, body } of [optOut, erasure]) {
      assert.match(String(headers.get('subject')), /do not contact this person$/i)
      assert.match(body, /asked for this: do not contact \(recorded /)
      assert.equal(headers.get('in-reply-to'), `<${id}@example.com>`)
      assert.ok(!/Pat|robin|555-?0177/.test(body + [...headers.values()].join()), body)
    }
  })

  test('continues past a message that the mail server permanently rejects', async () => {
    smtp.answer = ({ body }) => (body.includes('a bad word') ? '554 no' : '250 taken')
    const id = await submit({ ...quote, notes: 'a bad word' })
    await sent(id)
    const [refused, instead] = about(id) as [Mail, Mail]
    assert.equal(idOf(instead), idOf(refused))
    assert.ok(!instead.body.includes('Pat') && instead.body.includes(`program leads ${id}`), instead.body)
    assert.equal(await end('SIGTERM'), 0)
  })

  test('keeps the later opt-out, and reports opt-outs and erasures that a restore has undone', async () => {
    const { openState } = await import(join(mailHome, 'state.ts'))
    const { sendAbout } = await import(join(mailHome, 'send.ts'))
    const [subjects, log]: [string[], string[]] = [[], []]
    const sender = {
      settings: { from: 'leads@example.com', to: 'office@example.com' },
      state: openState(join(folder, 'restored.db')),
      mail: async ({ subject }: { subject: string }) => subjects.push(subject),
      stopping: new AbortController().signal,
      log: (text: string) => log.push(text),
    }
    const [optedOut, optedOutBefore] = [timestampFromMs(nowMs + 60_500), timestampFromMs(nowMs + 60_000)]
    const [all, some] = [{ optedOutChannels: [] }, { optedOutChannels: [Channel.TEXT] }]
    const after = [some, all].map((channels) => ({ optedOutAt: optedOut, ...channels }))
    const versions = [{}, ...after, {}, { optedOutAt: optedOutBefore, ...some }]
    for (const version of versions) await sendAbout(quoteLead('lead-1', version), sender)
    await sendAbout(erasedLead('lead-1'), sender)
    await sendAbout(quoteLead('lead-1', { optedOutAt: optedOut }), sender)
    sender.state.close()
    assert.match(
      subjects.join(),
      /^Quote request from Pat Example,Do not text this person,Do not contact[^,]*,Delete the message[^,]*$/,
    )
    const again = 'opt-out again: lead-1 2026-11-22T14:06:00.500Z'
    const undone = log.filter((text) => text.includes('again'))
    assert.deepEqual(undone, [again, again, 'erase again: lead-1'])
  })

  test('lets no text become a header, and marks people who want no contact', async () => {
    const { describeLead } = await import(join(mailHome, 'message.ts'))
    const lead = quoteLead('lead-1')
    const change = (fields: object) => Object.assign(lead.content.value ?? {}, fields)
    change({ name: 'Pat\r\nBcc: other@example.com\u202E', email: 'pat@example.com\r\nBcc: other@example.com' })
    const addresses = { from: 'leads@example.com', to: 'office@example.com' }
    const message = describeLead(lead, addresses)
    assert.equal(message.subject, 'Quote request from Pat Bcc: other@example.com')
    assert.equal(message.replyTo, undefined)
    change({ name: '=?utf-8?Q?=E2=80=AE?= Pat' })
    assert.equal(describeLead(lead, addresses).subject, 'Quote request from = ?utf-8?Q?=E2=80=AE?= Pat')
    const { readSettings } = await import(join(mailHome, 'settings.ts'))
    const two = { SMTP_URL: 'smtp://a', MAIL_FROM: addresses.from, MAIL_TO: 'a@example.com,b@example.com' }
    assert.throws(() => readSettings(two), { message: /^MAIL_TO: expected one e-mail address/ })
    assert.match(message.text, /Before you call or write: docs\/contacting\.md/)
    const optedOutBefore = { optedOutAt: quoteLead('', {}, 5).receivedAt }
    const optedOut = { optedOutAt: lead.receivedAt }
    const reply = 'pat@example.com'
    const optedOutChannels = [Channel.PHONE, Channel.TEXT]
    for (const [change, subject, text, replyTo] of [
      [optedOut, /^\[DO NOT CONTACT\] /, /^DO NOT CONTACT: .*<p><strong>DO NOT CONTACT: /s, undefined],
      [{ ...optedOut, optedOutChannels }, /^\[DO NOT CALL OR TEXT\] /, /^DO NOT CALL OR TEXT: /, reply],
      [optedOutBefore, /^\[DO NOT CONTACT\] /, /before this request, .*Check by hand first, and wait/, undefined],
      [{ possibleOptOut: true }, /^\[READ TODAY\] Quote/, /^READ TODAY: this may ask for no more contact/, reply],
      // Nothing lifts an opt-out, but a message may be answered.
      [{ ...optedOutBefore, kind: 2 }, /^\[DO NOT CONTACT\] Message /, /^DO NOT CONTACT, except to answer/, reply],
      [{ ...optedOutBefore, possibleOptOut: true }, /^\[DO NOT/, /READ TODAY: .* the opt-out recorded/, undefined],
    ] as const) {
      const about = describeLead(quoteLead('lead-2', change), addresses)
      assert.match(about.subject, subject)
      assert.match(about.text + about.html, text)
      assert.equal(about.replyTo, replyTo)
    }
    const rulesUrl = 'https://intranet.example.com/rules'
    assert.match(describeLead(lead, { ...addresses, rulesUrl }).html, /Before you call or write: https:..intranet/)
  })
})
