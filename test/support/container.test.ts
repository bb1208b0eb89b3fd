import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getContainerRuntimeClient } from 'testcontainers'
import { askRedis } from '../limit/redis-server.ts'
import { skipWithoutEngine, startRedis } from './backends.ts'
import { control, type Handle, startContainer } from './container.ts'
import { freePorts } from './ports.ts'

const unableToFreeze = () => Object.assign(new Error('(HTTP code 500) unable to freeze: unknown'), { statusCode: 500 })
const noSuchContainer = () => Object.assign(new Error('(HTTP code 404) no such container'), { statusCode: 404 })

/** A fake engine that records requests and refuses to pause as configured. */
function engine(refusals: (Error | undefined)[]) {
  const asked: string[] = []
  const State = { Paused: false, Running: true }
  const note = async (what: string) => void asked.push(what)
  const handle: Handle = {
    async pause() {
      await note('pause')
      const refusal = refusals.shift()
      if (refusal) throw refusal
      State.Paused = true
    },
    unpause: () => note('unpause'),
    start: () => note('start'),
    kill: (options) => note(`kill ${options?.signal ?? 'SIGKILL'}`),
    inspect: async () => ({ State }),
  }
  const controls = control(handle, ([, , script]) => note(`exec ${script}`), { withinMs: 50, everyMs: 1 })
  return { asked, State, controls }
}

test('a container that the engine fails to pause is paused by a retry', async () => {
  const { asked, controls } = engine([unableToFreeze(), unableToFreeze()])
  await controls.pause()
  await controls.unpause()
  assert.deepEqual(asked, ['pause', 'pause', 'pause', 'unpause'])
})

test('a failed attempt that did pause the container counts', async () => {
  const { asked, State, controls } = engine([unableToFreeze()])
  State.Paused = true
  await controls.pause()
  assert.deepEqual(asked, ['pause'])
})

test('a container that cannot be paused is stopped and continued by signals', async () => {
  const { asked, controls } = engine(Array.from({ length: 1_000 }, unableToFreeze))
  await controls.pause()
  await controls.unpause()
  assert.deepEqual(
    asked.filter((what) => what !== 'pause'),
    ['kill SIGSTOP', 'exec kill -s STOP -- -1 || true', 'exec kill -s CONT -- -1 || true', 'kill SIGCONT'],
  )
})

test('a permanent error of the engine fails at once', async () => {
  const { asked, controls } = engine([noSuchContainer()])
  await assert.rejects(controls.pause(), /no such container/)
  assert.deepEqual(asked, ['pause'])
})

test('a container that does not start is recreated, and abandoned after three attempts', async () => {
  let defined = 0
  const start = (failures: number) => {
    defined = 0
    return startContainer(() => {
      defined += 1
      const fails = defined <= failures
      return { start: async () => (fails ? Promise.reject(unableToFreeze()) : defined) }
    })
  }
  assert.equal(await start(2), 3)
  await assert.rejects(start(3), /unable to freeze/)
  assert.equal(defined, 3)
})

test('processes stopped by signals do not answer, and answer again when continued', {
  skip: skipWithoutEngine,
}, async () => {
  const server = await startRedis()
  const port = Number(new URL(server.url).port)
  const real = (await getContainerRuntimeClient()).container.getById(server.container.getId())
  const handle: Handle = {
    pause: () => Promise.reject(unableToFreeze()),
    unpause: () => real.unpause(),
    start: () => real.start(),
    kill: (options) => real.kill(options),
    inspect: () => real.inspect(),
  }
  const execute = (command: string[]) => server.container.exec(command, { user: 'root' })
  const controls = control(handle, execute, { withinMs: 1, everyMs: 1 })
  try {
    await controls.pause()
    await assert.rejects(askRedis(port, 'PING'))
    await controls.unpause()
    assert.equal(await askRedis(port, 'PING'), 'PONG')
    await controls.kill()
    await controls.kill()
    await assert.rejects(askRedis(port, 'PING'))
  } finally {
    await server.stop()
  }
})

test('free ports are distinct, and below the range of outgoing connections', async () => {
  const ports = await freePorts(50)
  assert.equal(new Set(ports).size, 50)
  assert.ok(ports.every((port) => port >= 10_000 && port < 32_768))
})
