import { setTimeout as delay } from 'node:timers/promises'
import { getContainerRuntimeClient, type StartedTestContainer } from 'testcontainers'

/** What a test can do to a server in a container. All of it is idempotent. */
export interface Controls {
  /** Makes it hang, like a stalled server. */
  pause(): Promise<void>
  unpause(): Promise<void>
  /** Makes it vanish, like a crashed server. */
  kill(): Promise<void>
  restart(): Promise<void>
}

/** The part of a container engine's API that is used here. */
export interface Handle {
  pause(): Promise<unknown>
  unpause(): Promise<unknown>
  start(): Promise<unknown>
  kill(options?: { signal: string }): Promise<unknown>
  inspect(): Promise<{ State: { Paused: boolean; Running: boolean } }>
}

/** How long, and how often, to retry when the engine refuses. */
export interface Patience {
  withinMs: number
  everyMs: number
}

const patience: Patience = { withinMs: 20_000, everyMs: 200 }

/** Signals all processes of a container except the first. `kill` fails when there are none, which is fine. */
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

  /**
   * Retries until it is done. Does not trust an error answer: a failed attempt may have taken effect, completely or
   * partly.
   */
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
        // Stop the first process from outside, because no signal from inside stops it. Then stop the rest, which can no
        // longer be restarted.
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

/** Controls a container started by testcontainers. */
export async function controlsOf(container: StartedTestContainer): Promise<Controls> {
  const handle = (await getContainerRuntimeClient()).container.getById(container.getId())
  return control(handle, async (command) => {
    const { exitCode, output } = await container.exec(command, { user: 'root' })
    if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${output}`)
  })
}

/**
 * Starts a container. If the engine refuses, recreates it and retries, twice. `define` chooses new ports each time,
 * because another process may have taken the first ones.
 */
export async function startContainer<T>(define: () => { start(): Promise<T> }): Promise<T> {
  const start = () => define().start()
  const again = (error: unknown) => {
    if (statusOf(error) < 500) throw error
    return start()
  }
  return start().catch(again).catch(again)
}
