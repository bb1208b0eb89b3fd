import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { postgresImage, postgresUrl, skipWithoutEngine } from '../support/backends.ts'
import { readContents } from '../support/database.ts'
import { newFolder } from '../support/folder.ts'
import { post } from '../support/http.ts'
import { startService } from '../support/service.ts'
import { renderOverlay, skipWithoutKubectl } from './overlay.ts'

const skip = skipWithoutKubectl || skipWithoutEngine

test('the nightly dump is complete, can be restored, and expires', { skip }, async () => {
  const folder = newFolder()
  const url = await postgresUrl()
  await using service = await startService({ DATABASE_URL: url })
  const { id } = (await post(service.url)).json
  const backups = join(folder, 'backups')
  for (const path of [backups, join(folder, 'secrets')]) mkdirSync(path)
  chmodSync(backups, 0o777)
  writeFileSync(join(folder, 'secrets/DATABASE_URL'), url)
  for (const name of ['leads-1.dump.partial', 'leads-2.dump']) writeFileSync(join(backups, name), '')
  utimesSync(join(backups, 'leads-2.dump'), 0, 0)

  const pods = renderOverlay('private').pods.find(({ workload }) => workload.kind === 'CronJob')
  const [program = '', ...rest] = pods?.spec.containers[0]?.command ?? []
  const hardened = ['--network', 'host', '--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges']
  const run = (user: string, ...args: string[]) =>
    execFileSync('docker', ['run', '--rm', ...hardened, '--user', user, ...args], { stdio: 'pipe' })
  const mounts = ['-v', `${backups}:/backups`, '-v', `${folder}/secrets:/run/secrets/backup:ro`]
  run('999:999', ...mounts, '--entrypoint', program, postgresImage, ...rest)

  const dumps = readdirSync(backups)
  assert.match(dumps.join(), /^leads-\d{8}T\d{6}Z\.dump$/)
  const target = await postgresUrl()
  const restore = ['pg_restore', postgresImage, '--exit-on-error', '--no-owner', '--no-privileges']
  run('999:999', ...mounts, '--entrypoint', ...restore, `--dbname=${target}`, `/backups/${dumps[0]}`)
  assert.deepEqual((await readContents(target)).leads, [id])
})
