/** Periodic work. Returns how many items it processed. Stops soon after the signal is aborted. */
export type UpkeepTask = (signal: AbortSignal) => Promise<number>

export interface UpkeepOptions {
  /** Keyed by the name that reports use. */
  tasks: Readonly<Record<string, UpkeepTask>>
  /** Pause between the end of a round and the start of the next, in milliseconds. */
  everyMs: number
  /** Called for each task that processed something. */
  onDone(task: string, count: number): void
  onError(task: string, error: unknown): void
}

export interface Upkeep {
  /** Runs all tasks, one after the other, now and after each pause. Does not keep the process alive. */
  start(): void
  /** Resolves when no task is running. */
  stop(): Promise<void>
}

/** Runs the tasks that keep the database tidy. A failed task is retried in the next round. */
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
