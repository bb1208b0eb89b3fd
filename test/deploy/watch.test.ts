// deploy/vm/watch with each thing broken in turn, a mail server, and a server behind PING_URL.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, suite, test } from 'node:test'
import { newFolder, skipWithout } from '../support/machine.ts'
import { listen } from '../support/ports.ts'
import { root, runProgram } from '../support/service.ts'
import { type SmtpServer, startSmtpServer } from '../support/smtp-server.ts'

const folder = newFolder()
const here = (name: string) => join(folder, name)

suite('the watch of one machine', { skip: skipWithout('curl', 'openssl') }, () => {
  const pings: string[] = []
  const server = createServer(async (request, response) => {
    pings.push(`${request.url} ${await text(request)}`)
    response.end()
  })
  let smtp: SmtpServer
  const backup = join(here('backups'), 'leads-20261122T031700Z.gz.age')

  function makeCertificate(days: number) {
    const made = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days ${days} -subj /CN=leads.example.com`
    const files = ['-keyout', here('key'), '-out', here(`cert-${days}`)]
    execFileSync('openssl', [...made.split(' '), ...files], { stdio: 'ignore' })
  }

  before(async () => {
    const port = await listen(server)
    smtp = await startSmtpServer()
    for (const days of [90, 13]) makeCertificate(days)
    mkdirSync(here('backups'))
    // In every form that Compose reads alike.
    const lines = [
      'export DOMAIN = leads.example.com',
      "COMPOSE_PROFILES='mail' # and the database later",
      `SMTP_URL="smtp://127.0.0.1:${smtp.port}" # "ours"`,
      "MAIL_FROM=\t'leads@example.com'",
      'MAIL_TO=nobody@example.com',
      'MAIL_TO=office@example.com # a group',
      `PING_URL=http://127.0.0.1:${port}/ping `,
    ]
    writeFileSync(here('.env'), lines.map((line) => `${line}\r\n`).join(''))
  })
  after(async () => {
    server.close()
    await smtp?.[Symbol.asyncDispose]()
  })

  const working: Record<string, string> = {
    ready: 'echo ok',
    restarts: 'echo 0',
    mail_status: 'echo "heard from the service 3 s ago"',
    leads_since: 'echo 20',
    certificate: `cat '${here('cert-90')}'`,
    used: 'echo 79',
  }
  /** Runs the script with these functions, and returns its exit code, its output, and whom it alerted, with what. */
  async function watch(broken: Record<string, string> = {}, args: string[] = []) {
    const functions = Object.entries({ ...working, ...broken }).map(([name, body]) => `${name}() { ${body}; }\n`)
    writeFileSync(here('functions'), functions.join(''))
    const files = { WATCH_ENV: here('.env'), WATCH_STATE: here('state'), WATCH_FUNCTIONS: here('functions') }
    pings.length = 0
    smtp.mails.length = 0
    const env = { ...process.env, ...files, BACKUP_FOLDER: here('backups') }
    const { code, stdout, stderr } = await runProgram(join(root, 'deploy/vm/watch'), args, { env })
    const mails = smtp.mails.map(({ headers }) => headers.get('subject'))
    assert.ok(smtp.mails.every(({ headers }) => headers.get('to') === 'office@example.com'))
    return { code, output: `${stdout}${stderr}`, pings: [...pings], mails }
  }
  const beginAnew = () => {
    rmSync(here('state'), { recursive: true, force: true })
    writeFileSync(backup, '')
  }

  test('pings, and alerts nobody, while all is well', async () => {
    beginAnew()
    const { code, output, pings, mails } = await watch()
    assert.deepEqual([code, pings, mails], [0, ['/ping ok'], []], output)
    assert.equal(output.match(/^ok {4}/gm)?.length, 7)
  })

  for (const [what, broken, reason] of [
    ['the service is ready', { ready: 'echo "not ready: stopping"; return 1' }, /not ready\. See/],
    ['the service is ready', { ready: 'echo "ok, but database: ECONNREFUSED"' }, /ok, but database: ECONNREFUSED/],
    ['the service keeps running', { restarts: 'echo 2' }, /ended 2 times by itself/],
    ['leads reach the mail server', { mail_status: 'echo "not sent for 301 s"; return 1' }, /not sent for 301 s\. See/],
    ['there is a backup of last night', { ready: `touch -d '28 hours ago' '${backup}'; echo ok` }, /none for 27 hours/],
    ['the disk has room', { used: 'echo 80' }, /80 % used/],
    ['the disk has room', { used: 'return 1' }, /unknown % used/],
    ['the certificate is valid', { certificate: `cat '${here('cert-13')}'` }, /expires within 14 days/],
    ['the certificate is valid', { certificate: 'return 1' }, /does not answer/],
    ['leads arrive as on other days', { leads_since: '[ $1 = 24h ] && echo 0 || echo 14' }, /14 in the week before/],
    ['leads arrive as on other days', { leads_since: 'return 69' }, /the inbox does not answer/],
  ] as const) {
    test(`says by mail and at PING_URL/fail what is wrong: ${what}, ${reason}`, async () => {
      beginAnew()
      const { code, output, pings, mails } = await watch(broken)
      assert.equal(code, 0, output)
      assert.match(output, new RegExp(`^WRONG ${what}: .*${reason.source}.*\\. Should be: \\w`, 'm'))
      assert.equal(output.match(/^WRONG/gm)?.length, 1, output)
      assert.deepEqual(mails, ['Lead Intake: something is wrong on leads.example.com'])
      assert.match(pings.join(), new RegExp(`^/ping/fail ${what}: .*${reason.source}.*\\. Should be: \\w`))
    })
  }

  test('expects no leads where there are few, alerts once, and says when all is well again', async () => {
    beginAnew()
    assert.match((await watch({ leads_since: '[ $1 = 24h ] && echo 0 || echo 13' })).output, /^ok {4}leads arrive/m)
    assert.equal((await watch({ used: 'echo 90', restarts: 'echo 3' })).mails.length, 1)
    assert.equal((await watch({ used: 'echo 90', restarts: 'echo 3' })).mails.length, 1)
    const again = await watch({ used: 'echo 91', restarts: 'echo 3' })
    assert.deepEqual([again.mails, again.pings], [[], []])
    const well = await watch()
    assert.deepEqual(well.mails, ['Lead Intake: all is well again on leads.example.com'])
    assert.deepEqual(well.pings, ['/ping ok'])
  })

  test('reports a failed unit, and fails if nobody can be reached', async () => {
    const told = await watch({}, ['tell', 'lead-intake-backup.service'])
    assert.deepEqual([told.code, told.mails], [0, ['Lead Intake: a unit has failed on leads.example.com']])
    assert.match(told.pings.join(), /^\/ping\/fail lead-intake-backup\.service has failed/)
    writeFileSync(
      here('.env'),
      `DOMAIN=a\nSMTP_URL=smtp://127.0.0.1:${smtp.port}\nMAIL_FROM=a@b\nMAIL_TO=a@b.c,d@e.f\n`,
    )
    const untold = await watch({ used: 'echo 90' })
    assert.deepEqual([untold.code, untold.mails], [1, []])
    assert.match(untold.output, /MAIL_TO in \.env: expected one/)
    writeFileSync(here('.env'), 'DOMAIN=leads.example.com\nPING_URL=http://127.0.0.1:1/ping\n')
    assert.notEqual((await watch({ used: 'echo 90' })).code, 0)
    assert.notEqual((await watch()).code, 0)
  })
})
