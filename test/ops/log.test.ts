import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { until } from '../support/until.ts'

/** More than the log and a pipe can buffer, at about 1,000 bytes per line. */
const lines = 20_000

/** Writes the lines at once, then reports how many were dropped, and continues until its input ends. */
const program = `
  import { createLog } from ${JSON.stringify(new URL('../../src/ops/log.ts', import.meta.url).href)}
  const { log, flush, linesDropped } = await createLog('info')
  const text = 'x'.repeat(1_000)
  for (let number = 0; number < ${lines}; number++) log.info({ number, text }, 'line')
  process.stderr.write(String(linesDropped()))
  process.stdin.resume().once('end', async () => {
    await flush()
    process.exit(0)
  })
`

test('lines dropped for a slow reader are counted, and one that has stalled does not keep the process from ending', async () => {
  for (const reads of [true, false]) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program])
    const exited = once(child, 'exit')
    try {
      const [said] = await once(child.stderr, 'data')
      const dropped = Number(said)
      assert(dropped > 0 && dropped < lines, `${said}`)
      let text = ''
      if (reads) {
        child.stdout.on('data', (chunk) => (text += chunk))
        await until('every line that was not dropped', () => text.split('\n').length - 1 === lines - dropped)
      }
      child.stdin.end()
      assert.deepEqual(await exited, [0, null])
    } finally {
      child.kill('SIGKILL')
    }
  }
})
