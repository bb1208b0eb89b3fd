import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { ChainableCommander, Redis } from 'ioredis'
import { youngFunctions } from '../../scripts/young-functions.ts'
import { oldBytesAfter } from '../support/old-generation.ts'
import { root } from '../support/process.ts'

const folder = mkdtempSync(join(tmpdir(), 'young-functions-'))
after(() => rmSync(folder, { recursive: true }))

async function bundleRedis(withPlugin: boolean): Promise<typeof Redis> {
  const outfile = join(folder, `redis-${withPlugin}.cjs`)
  await build({
    stdin: { contents: "module.exports = require('ioredis')", resolveDir: root },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    minifySyntax: true,
    plugins: withPlugin ? [youngFunctions] : [],
  })
  const { default: redis } = await import(pathToFileURL(outfile).href)
  return redis.Redis
}

/** What the driver does for a script, without a connection. */
interface Internals {
  _queue: { toWritable(socket: object): unknown; reject(error: Error): void; promise: Promise<unknown> }[]
}

function openPipeline(RedisOfBundle: typeof Redis) {
  const redis = new RedisOfBundle({ lazyConnect: true })
  redis.defineCommand('probe', { numberOfKeys: 0, lua: 'return 1' })
  return () => redis.pipeline() as ChainableCommander & Internals & { probe(text: string): void }
}

const commands = 400
const argumentBytes = 10_000

/** Bytes that survive the scripts of 400 pipelines, each with an argument of 10 kB. */
async function bytesLeftBy(RedisOfBundle: typeof Redis): Promise<number> {
  const pipeline = openPipeline(RedisOfBundle)
  const socket = {}
  return await oldBytesAfter(() => {
    for (let count = 0; count < commands; count++) {
      const one = pipeline()
      one.probe(randomBytes(argumentBytes / 2).toString('hex'))
      one._queue[0]?.toWritable(socket)
    }
  })
}

suite('the Redis driver in the bundle', () => {
  test('leaves no commands in the old generation of the heap', async () => {
    const left = await bytesLeftBy(await bundleRedis(true))
    assert.ok(left < (commands * argumentBytes) / 10, `${left} bytes survived`)
  })

  test('would leave them there as it is published', async () => {
    const left = await bytesLeftBy(await bundleRedis(false))
    assert.ok(left > (commands * argumentBytes) / 2, `${left} bytes survived: scripts/young-functions.ts is not needed`)
  })

  test('rejects a command with its error, and knows the length of a pipeline', async () => {
    const one = openPipeline(await bundleRedis(true))()
    one.probe('text')
    assert.equal(one.length, 1)
    const [command] = one._queue
    command?.toWritable({})
    const error = new Error('refused')
    command?.reject(error)
    await assert.rejects(command?.promise as Promise<unknown>, (thrown) => thrown === error)
  })
})
