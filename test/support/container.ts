import { setTimeout as delay } from 'node:timers/promises'
import { getContainerRuntimeClient, type StartedTestContainer } from 'testcontainers'

/** How often to ask an engine that answers 5xx, such as that a port is still taken, and how long to wait between. */
const attempts = 20
const pauseMs = 500

/** What a test can do to a server in a container started by testcontainers. */
export async function controlsOf(container: StartedTestContainer) {
  const handle = (await getContainerRuntimeClient()).container.getById(container.getId())
  /** To all processes but the first, which only a signal from outside stops. `kill` fails when there are none. */
  const signalOthers = (signal: string) =>
    container.exec(['sh', '-c', `kill -s ${signal} -- -1 || true`], { user: 'root' })
  // By signals, because an engine on a busy machine may be "unable to freeze" a container.
  return {
    /** Makes it hang, like a stalled server. */
    async pause() {
      await handle.kill({ signal: 'SIGSTOP' })
      await signalOthers('STOP')
    },
    async unpause() {
      await signalOthers('CONT')
      await handle.kill({ signal: 'SIGCONT' })
    },
  }
}

/** Starts a container. `define` is called for each attempt, so that it may choose other ports. */
export async function startContainer<T>(define: () => { start(): Promise<T> }): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await define().start()
    } catch (error) {
      const { statusCode = 0 } = error as { statusCode?: number }
      if (statusCode < 500 || attempt === attempts) throw error
      await delay(pauseMs)
    }
  }
}
