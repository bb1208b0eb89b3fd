import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startTlsPostgres } from '../drills/postgres-server.ts'
import { createAuthority } from '../rpc/certificates.ts'
import { postgresImage, postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { readContents } from '../support/database.ts'
import { newFolder } from '../support/folder.ts'
import { post } from '../support/http.ts'
import { runService } from '../support/process.ts'
import { renderOverlay, skipWithoutKubectl } from './overlay.ts'

const skip = skipWithoutKubectl || skipWithoutEngine

test('the nightly dump is complete, can be restored, and expires', { skip }, async () => {
  const folder = newFolder()
  const authority = createAuthority('The provider of the database')
  const NODE_EXTRA_CA_CERTS = join(folder, 'ca.crt')
  writeFileSync(NODE_EXTRA_CA_CERTS, authority.cert)
  await using server = await startTlsPostgres(authority.issue('127.0.0.1'))
  await using service = await runService({ DATABASE_URL: server.url, NODE_EXTRA_CA_CERTS })
  const { id } = (await post(service.url)).json
  const backups = join(folder, 'backups')
  for (const path of ['backups', 'secrets', 'certificates']) mkdirSync(join(folder, path))
  chmodSync(backups, 0o777)
  writeFileSync(join(folder, 'secrets/DATABASE_URL'), server.url)
  for (const name of ['leads-1.dump.partial', 'leads-2.dump']) writeFileSync(join(backups, name), '')
  utimesSync(join(backups, 'leads-2.dump'), 0, 0)

  const { spec } = renderOverlay('private').one('CronJob', 'lead-intake-backup').spec.jobTemplate.spec.template
  const [certificates, { command, env }] = [spec.initContainers[0], spec.containers[0]]
  const [program = '', ...rest] = command
  // Its image is the service's.
  const [, ...node] = certificates.command.map((text: string) =>
    text.replace('/certificates/', `${folder}/certificates/`),
  )
  execFileSync(process.execPath, node, { env: { NODE_EXTRA_CA_CERTS } })
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
  assert.deepEqual((await readContents(target)).leads, [id])
})
