import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { postgresImage, postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { readContents } from '../support/database.ts'
import { newFolder } from '../support/folder.ts'
import { post } from '../support/http.ts'
import { inboxClient } from '../support/inbox-client.ts'
import { type RunningService, root, runCommand, runService } from '../support/process.ts'
import { startService } from '../support/service.ts'
import { skipWithout } from '../support/tools.ts'

const folder = newFolder()
const here = (name: string) => join(folder, name)
const kept = here('kept')
const away = here('away')

suite('the nightly backup of one machine', { skip: skipWithout('age', 'rsync') }, () => {
  let service: RunningService
  let id: string
  before(async () => {
    service = await runService()
    id = (await post(service.url)).json.id as string
    mkdirSync(kept)
    mkdirSync(away)
    execFileSync('age-keygen', ['-o', here('key')], { stdio: 'ignore' })
    const recipient = execFileSync('age-keygen', ['-y', here('key')], { encoding: 'utf8' })
    writeFileSync(here('backup.env'), `AGE_RECIPIENT=${recipient}BACKUP_TARGET=${away}\n`)
    const state = new DatabaseSync(here('mail.db'))
    state.exec(`CREATE TABLE done (id TEXT, kind TEXT); INSERT INTO done VALUES ('${id}', 'lead')`)
    state.close()
    writeFileSync(here('journal'), `{"msg":"request","path":"/"}\n{"msg":"lead erased","leadId":"${id}"}\n`)
  })
  after(() => service?.dispose())

  /** Runs the script with the service as a process instead of a container. */
  function backUp({
    program = `${process.execPath} "src/commands/$1.ts" "$2"`,
    percent = 20,
    settings = '',
    args = [] as string[],
  } = {}) {
    writeFileSync(here('service.env'), settings)
    writeFileSync(
      here('functions'),
      `program() { (cd '${root}' && ${program}); }
journal() { cat '${here('journal')}'; }
sends_mail() { true; }
mail_state() { STATE_FILE='${here('mail.db')}' ${process.execPath} '${root}/examples/leads-to-mail/backup.ts'; }
used() { echo ${percent}; }
`,
    )
    return promisify(execFile)(join(root, 'deploy/vm/backup'), args, {
      env: {
        ...process.env,
        INTERNAL_PORT: new URL(service.internalUrl).port,
        ...{ DATABASE_URL: service.databaseUrl, BACKUP_ENV: here('backup.env'), BACKUP_FOLDER: kept },
        ...{ SERVICE_ENV: here('service.env'), BACKUP_FUNCTIONS: here('functions') },
      },
    })
  }
  const backups = (place: string) =>
    readdirSync(place)
      .filter((name) => /^(?:leads|mail)-/.test(name))
      .sort()

  test('is encrypted, readable by its owner only, copied elsewhere, and deleted here after 30 days', async () => {
    const old = join(kept, 'leads-20260101T000000Z.age')
    writeFileSync(old, 'old')
    const dayMs = 86_400_000
    const time = (days: number) => new Date(Date.now() - days * dayMs)
    utimesSync(old, time(32), time(32))
    writeFileSync(join(away, 'leads-20260101T000000Z.age'), 'old')
    await backUp()
    const [name = '', ...others] = backups(kept)
    assert.match([name, ...others].join(' '), /^leads-\d{8}T\d{6}Z\.gz\.age mail-\d{8}T\d{6}Z\.gz\.age$/)
    assert.deepEqual(backups(away), ['leads-20260101T000000Z.age', name, ...others], 'the other machine deletes by age')
    assert.equal(statSync(join(kept, name)).mode & 0o777, 0o600)
    assert.match(readFileSync(join(kept, name), 'latin1'), /^age-encryption\.org/)
    assert.equal(readFileSync(join(away, 'evidence.log'), 'utf8'), `{"msg":"lead erased","leadId":"${id}"}\n`)
  })

  test('can be restored as docs/vm.md says, including later erasures', async () => {
    const [, name = '', mail = ''] = backups(away)
    const databaseUrl = `sqlite:${here('restored.db')}`
    const env = { ...process.env, DATABASE_URL: databaseUrl }
    const command = `age -d -i '${here('key')}' '${join(away, name)}' | gunzip | ${process.execPath} src/commands/restore.ts -`
    execFileSync('bash', ['-o', 'pipefail', '-c', command], { cwd: root, env })
    const before = await readContents(databaseUrl)
    assert.deepEqual([before.leads, before.distinct], [[id], 1])
    const reapplied = await runCommand('reapply', [join(away, 'evidence.log')], { DATABASE_URL: databaseUrl })
    assert.match(reapplied.stdout, /^1 leads erased/)
    assert.equal((await readContents(databaseUrl)).distinct, 0)
    const sent = here('restored-mail.db')
    execFileSync('bash', ['-c', `age -d -i '${here('key')}' '${join(away, mail)}' | gunzip >'${sent}'`])
    using database = new DatabaseSync(sent)
    assert.equal(database.prepare('SELECT id FROM done').get()?.id, id)
  })

  test('copies the opt-outs and erasures in the log between two nights', async () => {
    await inboxClient(service.internalUrl).recordOptOut({ contact: '2025550177' })
    const had = backups(away)
    const [before, optOut] = [readFileSync(here('journal'), 'utf8'), '{"msg":"opt-out recorded"}\n']
    writeFileSync(here('journal'), before + optOut)
    await backUp({ args: ['log'] })
    writeFileSync(here('journal'), before)
    const log = join(away, 'evidence.log')
    assert(readFileSync(log, 'utf8').includes(optOut))
    assert.deepEqual(backups(away), had)
    const lists = readdirSync(away).filter((name) => name.startsWith('do-not-contact-'))
    const list = execFileSync('bash', [
      '-c',
      `age -d -i '${here('key')}' '${join(away, String(lists.at(-1)))}' | gunzip`,
    ])
    assert.match(String(list), /\n"\+12025550177",/)
    for (const file of [log, join(kept, 'evidence.log')])
      writeFileSync(file, readFileSync(file, 'utf8').replace(optOut, ''))
  })

  test('fails loudly and keeps existing backups when the service returns nothing', async () => {
    const had = backups(kept)
    await assert.rejects(backUp({ program: 'echo half; exit 1' }))
    const leads = backups(kept).filter((name) => name.startsWith('leads-'))
    assert.deepEqual(leads, had.slice(0, 1))
    assert.ok(!readdirSync(kept).some((name) => name.endsWith('.partial')))
  })

  test('destroys nothing on the other machine after a disaster, when this machine is new', async () => {
    const had = backups(away)
    rmSync(kept, { recursive: true })
    writeFileSync(here('journal'), '{"msg":"opt-out recorded","how":"called"}\n')
    await backUp()
    assert.ok(had.every((name) => backups(away).includes(name)))
    assert.equal(backups(away).length, had.length + 2)
    const both = `{"msg":"lead erased","leadId":"${id}"}\n{"msg":"opt-out recorded","how":"called"}\n`
    assert.equal(readFileSync(join(away, 'evidence.log'), 'utf8'), both)
    assert.equal(readFileSync(join(kept, 'evidence.log'), 'utf8'), both)
  })

  test('is a dump of PostgreSQL once the business has grown', { skip: skipWithoutEngine }, async () => {
    const [url, target] = [await postgresUrl(), await postgresUrl()]
    await using grown = await startService({ DATABASE_URL: url })
    const lead = (await post(grown.url)).json.id
    rmSync(kept, { recursive: true })
    await backUp({ settings: `DATABASE_URL=${url}\n` })
    const [name] = backups(kept)
    const restore = /^restore\(\) .+$/m.exec(readFileSync(join(root, 'docs/vm.md'), 'utf8'))?.[0] ?? ''
    const given = restore.replace('postgres:17-bookworm', postgresImage)
    const command = `${given}; age -d -i '${here('key')}' '${kept}/${name}' | gunzip | restore '${target}'`
    execFileSync('bash', ['-euo', 'pipefail', '-c', command])
    assert.deepEqual((await readContents(target)).leads, [lead])
  })

  test('fails before the disk is full, after it has made the backup', async () => {
    await assert.rejects(backUp({ percent: 80 }), /80 % full/)
  })
})
