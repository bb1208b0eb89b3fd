/** Work that is done now and then, and gives how much it has done. It ends soon after the signal is aborted. */
export type UpkeepTask = (signal: AbortSignal) => Promise<number>

export interface UpkeepOptions {
  /** By the names that reports have. */
  tasks: Readonly<Record<string, UpkeepTask>>
  /** How long after the end of a round the next one begins. */
  everyMs: number
  /** Hears of each task that has done something. */
  onDone(task: string, count: number): void
  onError(task: string, error: unknown): void
}

export interface Upkeep {
  /** Does every task at once, one after the other, and again and again. Nothing of it keeps the process alive. */
  start(): void
  /** Resolves when no task runs any more. */
  stop(): Promise<void>
}

/** Runs what keeps the database tidy. A task that fails is tried again in the next round. */
export function createUpkeep({ tasks, everyMs, onDone, onError }: UpkeepOptions): Upkeep {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  async function round() {
    for (const [name, task] of Object.entries(tasks)) {
      if (stopping.signal.aborted) return
      try {
        const count = await task(stopping.signal)
        if (count > 0) onDone(name, count)
      } catch (error) {
        onError(name, error)
      }
    }
    if (!stopping.signal.aborted) timer = setTimeout(start, everyMs).unref()
  }

  function start() {
    running = round()
  }

  return {
    start,
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await running
    },
  }
}
