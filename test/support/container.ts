import { setTimeout as delay } from 'node:timers/promises'
import { getContainerRuntimeClient, type StartedTestContainer } from 'testcontainers'

/** What a test does to a server in a container. Each can be done again: what is so already is no error. */
export interface Controls {
  /** Makes it hang, as a stalled server does. */
  pause(): Promise<void>
  unpause(): Promise<void>
  /** Makes it vanish, as a crashed server does. */
  kill(): Promise<void>
  restart(): Promise<void>
}

/** The part of an engine's container that the controls use. */
export interface Handle {
  pause(): Promise<unknown>
  unpause(): Promise<unknown>
  start(): Promise<unknown>
  kill(options?: { signal: string }): Promise<unknown>
  inspect(): Promise<{ State: { Paused: boolean; Running: boolean } }>
}

/** How long an engine that refuses is asked again, and how often. */
export interface Patience {
  withinMs: number
  everyMs: number
}

const patience: Patience = { withinMs: 20_000, everyMs: 200 }

/** Signals every process of a container but the first one. Without such processes, `kill` fails, and nothing is amiss. */
const signalOthers = (signal: string) => ['sh', '-c', `kill -s ${signal} -- -1 || true`]

const statusOf = (error: unknown) => (error as { statusCode?: number }).statusCode ?? 0

/**
 * Controls a container by its engine, which on a busy machine refuses now and then what it does a moment later ("unable to
 * freeze: unknown", a port that is still taken): it is asked again while it answers 5xx. When it never freezes the
 * container, every process in it is stopped by a signal instead, which looks the same from outside.
 *
 * @param execute Runs a command in the container as root, and rejects unless it succeeds.
 */
export function control(
  handle: Handle,
  execute: (command: string[]) => Promise<unknown>,
  { withinMs, everyMs } = patience,
): Controls {
  let stoppedBySignal = false

  /** Asks until it is done. An answer is not believed: a try that failed may have had its effect, or a part of it. */
  async function insist(act: () => Promise<unknown>, isDone: () => Promise<boolean>): Promise<void> {
    const endMs = performance.now() + withinMs
    for (;;) {
      try {
        await act()
        return
      } catch (error) {
        if (await isDone()) return
        if (statusOf(error) < 500 || performance.now() >= endMs) throw error
      }
      await delay(everyMs)
    }
  }

  const state = async () => (await handle.inspect()).State

  return {
    async pause() {
      try {
        await insist(
          () => handle.pause(),
          async () => (await state()).Paused,
        )
      } catch (error) {
        if (statusOf(error) < 500) throw error
        // The first process from outside, since no signal from inside stops it; then, with nobody left to start another, the rest.
        await handle.kill({ signal: 'SIGSTOP' })
        stoppedBySignal = true
        await execute(signalOthers('STOP'))
      }
    },
    async unpause() {
      if (!stoppedBySignal) {
        return insist(
          () => handle.unpause(),
          async () => !(await state()).Paused,
        )
      }
      await execute(signalOthers('CONT'))
      await handle.kill({ signal: 'SIGCONT' })
      stoppedBySignal = false
    },
    kill: () =>
      insist(
        () => handle.kill(),
        async () => !(await state()).Running,
      ),
    restart: () =>
      insist(
        () => handle.start(),
        async () => (await state()).Running,
      ),
  }
}

/** Controls a container that testcontainers has started. */
export async function controlsOf(container: StartedTestContainer): Promise<Controls> {
  const handle = (await getContainerRuntimeClient()).container.getById(container.getId())
  return control(handle, async (command) => {
    const { exitCode, output } = await container.exec(command, { user: 'root' })
    if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${output}`)
  })
}

/**
 * Starts a container. When the engine refuses, it is defined anew and started again, twice: `define` chooses the ports at
 * each call, since another process may have taken the first ones meanwhile.
 */
export async function startContainer<T>(define: () => { start(): Promise<T> }): Promise<T> {
  const start = () => define().start()
  const again = (error: unknown) => {
    if (statusOf(error) < 500) throw error
    return start()
  }
  return start().catch(again).catch(again)
}
