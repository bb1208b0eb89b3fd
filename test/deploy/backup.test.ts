import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs, { chmodSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, suite, test } from 'node:test'
import { migrate } from '../../src/store/open.ts'
import { startTlsPostgres } from '../drills/postgres-server.ts'
import { renderOverlay, skipWithoutKubectl } from '../k8s/overlay.ts'
import { createAuthority } from '../rpc/certificates.ts'
import { postgresImage, postgresUrl, readContents, skipWithoutEngine } from '../support/backends.ts'
import { post } from '../support/http.ts'
import { newFolder, skipWithout } from '../support/machine.ts'
import { execute, inboxClient, type RunningService, root, runCommand, runService } from '../support/service.ts'

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
    fs.mkdirSync(kept)
    fs.mkdirSync(away)
    execFileSync('age-keygen', ['-o', here('key')], { stdio: 'ignore' })
    const recipient = execFileSync('age-keygen', ['-y', here('key')], { encoding: 'utf8' })
    fs.writeFileSync(here('backup.env'), `AGE_RECIPIENT=${recipient}BACKUP_TARGET=${away}\n`)
    const state = new DatabaseSync(here('mail.db'))
    state.exec(`CREATE TABLE done (id TEXT, kind TEXT); INSERT INTO done VALUES ('${id}', 'lead')`)
    state.close()
    fs.writeFileSync(here('journal'), `{"msg":"request","path":"/"}\n{"msg":"lead erased","leadId":"${id}"}\n`)
  })
  after(() => service?.dispose())

  /** Runs the script with the service as a process instead of a container. */
  function backUp({
    program = `${process.execPath} "src/commands/$1.ts" "$2"`,
    percent = 20,
    journal = `cat '${here('journal')}'`,
    databaseUrl = '',
    running = 'true',
    args = [] as string[],
  } = {}) {
    fs.writeFileSync(
      here('functions'),
      `program() { (cd '${root}' && ${program}); }
database_url() { echo '${databaseUrl}'; }
journal() { ${journal}; }
is_running() { [ $1 != lead-intake ] || ${running}; }
mail_state() { STATE_FILE='${here('mail.db')}' ${process.execPath} '${root}/examples/leads-to-mail/backup.ts'; }
used() { echo ${percent}; }
in_service() { BACKUP_DAYS=20 "$@"; }
`,
    )
    return execute(join(root, 'deploy/vm/backup'), args, {
      env: {
        ...process.env,
        INTERNAL_PORT: new URL(service.internalUrl).port,
        ...{ DATABASE_URL: service.databaseUrl, BACKUP_ENV: here('backup.env'), BACKUP_FOLDER: kept },
        ...{ CERTIFICATES: here('certs'), BACKUP_FUNCTIONS: here('functions') },
      },
    })
  }
  const backups = (place: string) =>
    readdirSync(place)
      .filter((name) => /^(?:leads|mail)-/.test(name))
      .sort()
  const writeOld = (name: string, days: number) => {
    const then = new Date(Date.now() - days * 86_400_000)
    writeFileSync(join(kept, name), 'old')
    utimesSync(join(kept, name), then, then)
  }
  /** Decrypts a backup as docs/vm.md says, into a command if there is one. */
  const decrypt = (file: string, into = '', env: Record<string, string> = {}) =>
    execFileSync('bash', ['-euo', 'pipefail', '-c', `age -d -i '${here('key')}' '${file}' | gunzip ${into}`], {
      ...{ cwd: root, env: { ...process.env, ...env } },
    })

  test('is encrypted, readable by its owner only, copied elsewhere, and deleted here after BACKUP_DAYS', async () => {
    writeOld('leads-20260101T000000Z.age', 20.01)
    writeOld('leads-20260102T000000Z.age', 19.9)
    fs.writeFileSync(join(away, 'leads-20260101T000000Z.age'), 'old')
    await backUp()
    const [young, name = '', ...others] = backups(kept)
    assert.equal(young, 'leads-20260102T000000Z.age')
    assert.match([name, ...others].join(' '), /^leads-\d{8}T\d{6}Z\.gz\.age mail-\d{8}T\d{6}Z\.gz\.age$/)
    assert.deepEqual(backups(away), ['leads-20260101T000000Z.age', name, ...others], 'the other machine deletes by age')
    assert.equal(fs.statSync(join(kept, name)).mode & 0o777, 0o600)
    assert.match(fs.readFileSync(join(kept, name), 'latin1'), /^age-encryption\.org/)
    assert.equal(fs.readFileSync(join(away, 'evidence.log'), 'utf8'), `{"msg":"lead erased","leadId":"${id}"}\n`)
  })

  test('can be restored as docs/vm.md says, including later erasures', async () => {
    const [, name = '', mail = ''] = backups(away)
    const DATABASE_URL = `sqlite:${here('restored.db')}`
    decrypt(join(away, name), `| ${process.execPath} src/commands/restore.ts -`, { DATABASE_URL })
    const before = await readContents(DATABASE_URL)
    assert.deepEqual([before.leads, before.distinct], [[id], 1])
    const reapplied = await runCommand('reapply', [join(away, 'evidence.log')], { DATABASE_URL })
    assert.match(reapplied.stdout, /^1 leads erased/)
    assert.equal((await readContents(DATABASE_URL)).distinct, 0)
    const sent = here('restored-mail.db')
    decrypt(join(away, mail), `>'${sent}'`)
    using database = new DatabaseSync(sent)
    assert.equal(database.prepare('SELECT id FROM done').get()?.id, id)
  })

  test('copies the opt-outs in the log and the do-not-contact list between two nights', async () => {
    await inboxClient(service.internalUrl).recordOptOut({ contact: '2025550177' })
    const had = backups(away)
    fs.appendFileSync(here('journal'), '{"msg":"opt-out recorded"}\n')
    await backUp({ args: ['log'] })
    assert.match(fs.readFileSync(join(away, 'evidence.log'), 'utf8'), /"opt-out recorded"/)
    assert.deepEqual(backups(away), had)
    const newest = () => String(readdirSync(kept).findLast((name) => /^do-not-contact-.*age/.test(name)))
    const list = newest()
    assert.match(String(decrypt(join(away, list))), /\n"\+12025550177",/)
    fs.rmSync(join(kept, list))
    await backUp()
    assert.ok(newest() >= list && fs.existsSync(join(away, newest())), 'although nothing has changed')
    const stopped = { running: 'false', program: `[ $1 = backup ] && ${process.execPath} src/commands/backup.ts -` }
    await backUp(stopped)
    await assert.rejects(backUp({ ...stopped, args: ['log'] }))
  })

  test('fails loudly: keeps existing backups when the service returns nothing, and before the disk is full', async () => {
    const had = backups(kept)
    await assert.rejects(backUp({ program: 'echo half; exit 1' }))
    assert.deepEqual(backups(kept)[0], had[0])
    assert.ok(!readdirSync(kept).some((name) => name.endsWith('.partial')))
    await assert.rejects(backUp({ percent: 80 }), /80 % full/)
    await assert.rejects(backUp({ args: ['log'], journal: 'echo no journal >&2; return 1' }), /no journal/)
  })

  test('destroys nothing on the other machine after a disaster, when this machine is new', async () => {
    const had = backups(away)
    fs.rmSync(kept, { recursive: true })
    fs.writeFileSync(here('journal'), '{"msg":"opt-out recorded","how":"called"}\n')
    await backUp()
    assert.ok(had.every((name) => backups(away).includes(name)))
    const log = fs.readFileSync(join(away, 'evidence.log'), 'utf8')
    assert.match(log, /"lead erased"[\s\S]*"how":"called"/)
    assert.equal(fs.readFileSync(join(kept, 'evidence.log'), 'utf8'), log)
  })

  test('is a dump of PostgreSQL once the business has grown, even of one with its own CA', {
    skip: skipWithoutEngine || skipWithout('openssl'),
  }, async () => {
    await using grown = await startGrown(here('certs'))
    fs.rmSync(kept, { recursive: true })
    await backUp({ databaseUrl: grown.databaseUrl })
    const target = await postgresUrl()
    const restore = /^restore\(\) .+$/m.exec(fs.readFileSync(join(root, 'docs/vm.md'), 'utf8'))?.[0] ?? ''
    const ours = restore
      .replace('postgres:17-bookworm', postgresImage)
      .replace('-v /etc/ssl/certs', `-v ${here('certs')}`)
    fs.writeFileSync(here('restore'), ours)
    const into = (url: string) =>
      decrypt(join(kept, String(backups(kept)[0])), `| { . '${here('restore')}'; restore '${url}'; }`)
    into(target)
    assert.deepEqual((await readContents(target)).leads, [grown.lead])
    assert.throws(() => into(grown.databaseUrl), /already exists/)
  })
})

/** A service with a lead on a PostgreSQL whose provider has an authority of its own: in `ca-certificates.crt`, here. */
async function startGrown(folder: string) {
  await using all = new AsyncDisposableStack()
  const authority = createAuthority('The provider of the database')
  const NODE_EXTRA_CA_CERTS = join(folder, 'ca-certificates.crt')
  fs.mkdirSync(folder)
  fs.writeFileSync(NODE_EXTRA_CA_CERTS, authority.cert)
  const { url } = all.use(await startTlsPostgres(authority.issue('127.0.0.1')))
  await assert.rejects(migrate(url), /UNABLE_TO_.*: its CA is not trusted/)
  const service = all.use(await runService({ DATABASE_URL: url, NODE_EXTRA_CA_CERTS }))
  const lead = (await post(service.url)).json.id
  const kept = all.move()
  return { databaseUrl: url, lead, NODE_EXTRA_CA_CERTS, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

test('the nightly dump on Kubernetes is complete, can be restored, and expires', {
  skip: skipWithoutKubectl || skipWithoutEngine,
}, async () => {
  const folder = newFolder()
  await using grown = await startGrown(join(folder, 'certs'))
  const backups = join(folder, 'backups')
  for (const path of ['backups', 'secrets', 'certificates']) mkdirSync(join(folder, path))
  chmodSync(backups, 0o777)
  writeFileSync(join(folder, 'secrets/DATABASE_URL'), grown.databaseUrl)
  for (const name of ['leads-1.dump.partial', 'leads-2.dump']) writeFileSync(join(backups, name), '')
  utimesSync(join(backups, 'leads-2.dump'), 0, 0)

  const { spec } = renderOverlay('private').one('CronJob', 'lead-intake-backup').spec.jobTemplate.spec.template
  const [certificates, { command, env }] = [spec.initContainers[0], spec.containers[0]]
  const [program = '', ...rest] = command
  // Its image is the service's.
  const [, ...node] = certificates.command.map((text: string) =>
    text.replace('/certificates/', `${folder}/certificates/`),
  )
  execFileSync(process.execPath, node, { env: { NODE_EXTRA_CA_CERTS: grown.NODE_EXTRA_CA_CERTS } })
  const hardened = ['--network', 'host', '--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges']
  const run = (user: string, ...args: string[]) =>
    execFileSync('docker', ['run', '--rm', ...hardened, '--user', user, ...args], { stdio: 'pipe' })
  const mounts = ['-v', `${backups}:/backups`, '-v', `${folder}/secrets:/run/secrets/backup:ro`]
  const trust = ['-v', `${folder}/certificates:/certificates:ro`, '-e', `${env[0].name}=${env[0].value}`]
  run('999:999', ...mounts, ...trust, '--entrypoint', program, postgresImage, ...rest)

  const dumps = readdirSync(backups)
  assert.match(dumps.join(), /^leads-\d{8}T\d{6}Z\.dump$/)
  const target = await postgresUrl()
  const restore = ['pg_restore', postgresImage, '--exit-on-error', '--no-owner', '--no-privileges']
  run('999:999', ...mounts, '--entrypoint', ...restore, `--dbname=${target}`, `/backups/${dumps[0]}`)
  assert.deepEqual((await readContents(target)).leads, [grown.lead])
})
