import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { skipWithoutEngine } from '../support/backends.ts'
import { buildServiceImage } from '../support/container.ts'
import { get, post } from '../support/http.ts'
import { until } from '../support/until.ts'

/** Runs a command of the engine. Resolves to its output, and rejects unless it exits with 0. */
const docker = async (...args: string[]) => (await promisify(execFile)('docker', args)).stdout.trim()

const hardened = ['--read-only', '--tmpfs=/tmp', '--cap-drop=ALL', '--security-opt=no-new-privileges']
/** The settings in the `docker run` line of docs/kubernetes.md. */
const documented = ['TEST_LEADS=accept', 'INTERNAL_HOST=::', 'INTERNAL_INSECURE=true', 'DRAIN_SECONDS=0']

test('the image starts on a read-only root as a numeric non-root user, takes, shows and backs up a lead, and stops', {
  skip: skipWithoutEngine,
}, async () => {
  const image = await buildServiceImage()
  const { User, Healthcheck } = JSON.parse(await docker('image', 'inspect', '--format={{json .Config}}', image))
  assert.deepEqual([User, Healthcheck.Test], ['1000:1000', ['CMD', 'node', 'healthcheck.js']])
  const id = await docker('run', '-d', '-P', ...hardened, ...documented.map((setting) => `--env=${setting}`), image)
  try {
    const exec = (...args: string[]) => docker('exec', id, ...args)
    const urlOf = async (port: number) => `http://127.0.0.1:${(await docker('port', id, `${port}`)).split(':').at(-1)}`
    const ops = await urlOf(9100)
    await until('it is ready', async () => (await get(`${ops}/readyz`)).status === 200).catch(async (cause) => {
      throw new Error(await docker('logs', id), { cause })
    })
    const taken = await post(await urlOf(8080))
    assert.equal(taken.status, 201, taken.text)
    const { json } = await post(await urlOf(9090), {}, { path: '/leadintake.v1.LeadInboxService/ListLeads' })
    const listed = (json.leads as { id: string }[]).map((lead) => lead.id)
    assert.deepEqual(listed, [taken.json.id])

    const elsewhere = 'DATABASE_URL=sqlite:/app/data/restored.db node dist/restore.js -'
    await exec('sh', '-c', `node dist/backup.js - | ${elsewhere}`)
    await assert.rejects(exec('sh', '-c', 'node dist/backup.js - | node dist/restore.js -'), 'over leads')
    await exec('test', '-e', 'dist/main.js.LEGAL.txt')
    await exec('node', 'healthcheck.js')
    assert.equal(await exec('node', 'healthcheck.js', '/readyz'), 'ok')
    await assert.rejects(docker('exec', '--env=OPS_PORT=9', id, 'node', 'healthcheck.js'))

    await docker('kill', '--signal=TERM', id)
    assert.equal(await docker('wait', id), '0')
  } finally {
    await docker('rm', '--force', '--volumes', id)
  }
  // So that the migration Job does not retry.
  const invalid = ['--env=DATABASE_URL=mysql://user:secret@db/leads', '--entrypoint=node', image, 'dist/migrate.js']
  await assert.rejects(docker('run', '--rm', ...hardened, ...invalid), { code: 78 })
})
