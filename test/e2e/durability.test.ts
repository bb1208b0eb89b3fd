import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backends } from '../store/backends.ts'
import { assertStored, readContents } from '../support/database.ts'
import { type Load, startLoad } from '../support/load.ts'
import { runService } from '../support/process.ts'
import { until } from '../support/until.ts'

async function assertLedger({ acknowledged }: Load['ledger'], databaseUrl: string): Promise<void> {
  assert(acknowledged.length > 0, 'nothing was acknowledged')
  assertStored(acknowledged, await readContents(databaseUrl))
}

for (const { name, newUrl, skip } of backends) {
  test(`with ${name}, kill -9 of the whole process group under load loses no acknowledged lead`, { skip }, async () => {
    await using service = await runService({ DATABASE_URL: await newUrl() })
    const load = startLoad([service.url])
    void service.exited.then(load.stop)
    await until('200 acknowledged leads', () => load.ledger.acknowledged.length >= 200)
    service.signal('SIGKILL')
    assert.equal(await service.exited, 'SIGKILL')
    await assertLedger(await load.done, service.databaseUrl)
  })
}

test('SIGTERM under load loses no acknowledged lead, is unready at once, and exits 0', async () => {
  // Long enough to tell that the signal made the replica unready, not that it has already exited.
  await using service = await runService({ DRAIN_SECONDS: '3' })
  const load = startLoad([service.url])
  void service.exited.then(load.stop)
  await until('100 acknowledged leads', () => load.ledger.acknowledged.length >= 100)
  assert.equal((await fetch(`${service.opsUrl}/readyz`)).status, 200)
  service.child.kill('SIGTERM')
  await until('unready', async () => (await fetch(`${service.opsUrl}/readyz`)).status === 503)
  assert.equal((await fetch(`${service.opsUrl}/livez`)).status, 200)
  assert.equal(await service.exited, 0, service.output().slice(-2000))
  await assertLedger(await load.done, service.databaseUrl)
})
