import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { suite, test } from 'node:test'
import { promisify } from 'node:util'
import { capConnections, readDescriptorLimit } from '../../src/ops/descriptors.ts'

suite('the limit on open files', () => {
  test('limits the connections, and reserves some descriptors for everything else', () => {
    assert.equal(capConnections(10_000, undefined), 10_000)
    assert.equal(capConnections(10_000, 1_048_576), 10_000)
    assert.equal(capConnections(10_000, 1_024), 924)
    assert.equal(capConnections(10_000, 256), 156)
    assert.equal(capConnections(10_000, 64), 32)
  })

  test('is read for this process', async () => {
    const script = `import('./src/ops/descriptors.ts').then((it) => console.log(it.readDescriptorLimit()))`
    const { stdout } = await promisify(execFile)('sh', [
      '-c',
      'ulimit -n 300; exec "$0" -e "$1"',
      process.execPath,
      script,
    ])
    assert.equal(stdout.trim(), '300')
    assert.equal(readDescriptorLimit('/nowhere'), undefined)
  })
})
