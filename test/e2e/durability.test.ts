import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backends } from '../store/backends.ts'
import { assertStored, readContents } from '../support/database.ts'
import { post } from '../support/http.ts'
import { startLoad } from '../support/load.ts'
import { runService } from '../support/process.ts'
import { until } from '../support/until.ts'

for (const { name, newUrl, skip } of backends) {
  test(`with ${name}, kill -9 of the whole process group under load loses no acknowledged lead`, { skip }, async () => {
    await using service = await runService({ DATABASE_URL: await newUrl() })
    const load = startLoad([service.url])
    void service.exited.then(load.stop)
    await until('200 acknowledged leads', () => load.ledger.acknowledged.length >= 200)
    service.signal('SIGKILL')
    assert.equal(await service.exited, 'SIGKILL')
    assertStored((await load.done).acknowledged, await readContents(service.databaseUrl))
  })
}

// The drills show that it loses no lead.
test('SIGTERM makes a replica unready at once, while it goes on to serve', async () => {
  await using service = await runService({ DRAIN_SECONDS: '3' })
  service.child.kill('SIGTERM')
  await until('unready', async () => (await fetch(`${service.opsUrl}/readyz`)).status === 503)
  assert.equal((await fetch(`${service.opsUrl}/livez`)).status, 200)
  assert.equal((await post(service.url)).status, 201)
  assert.equal(await service.exited, 0, service.output().slice(-2000))
})
