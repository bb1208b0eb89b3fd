import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { cpuSeconds, residentMebibytes } from '../../measure/process-cpu.ts'

/** Uses a fifth of a second of CPU. */
const burn = 'const end = process.cpuUsage().user + 2e5; while (process.cpuUsage().user < end);'

test('the CPU time of a process holds that of its children, running and ended', async () => {
  const before = cpuSeconds({ self: process.pid }).self
  spawnSync(process.execPath, ['-e', burn])
  const ended = cpuSeconds({ self: process.pid }).self
  assert.ok(ended - before >= 0.2, `${ended - before} s after the child has ended`)

  const child = spawn(process.execPath, ['-e', `${burn} console.log('done'); setInterval(() => {}, 1000)`])
  await once(child.stdout, 'data')
  const running = cpuSeconds({ self: process.pid, child: child.pid as number })
  assert.ok(running.child >= 0.2, `${running.child} s in the child itself`)
  assert.ok(running.self - ended >= 0.2, `${running.self - ended} s while the child runs`)
  child.kill()
})

test('the memory of this process is more than ten mebibytes and less than a gibibyte', () => {
  const mebibytes = residentMebibytes(process.pid)
  assert.ok(mebibytes > 10 && mebibytes < 1024, `${mebibytes} MiB`)
})
