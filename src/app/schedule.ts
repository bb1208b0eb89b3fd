import { LeadError } from '../lead/error.ts'
import { isTransient } from '../store/error.ts'

/** Periodic work. Returns how many items it processed. Stops soon after the signal is aborted. */
export type Task = (signal: AbortSignal) => Promise<number>

export interface ScheduleOptions {
  /** By the name that the log uses. */
  tasks: Readonly<Record<string, Task>>
  /** Pause between the end of a round and the start of the next, in milliseconds. */
  everyMs: number
  /** Called for each task that processed something. */
  onDone?(task: string, count: number): void
  onError(task: string, error: unknown): void
}

/** The pause after a round in which the database was unavailable, in milliseconds. A task goes on where it failed. */
const retryMs = 15_000

/** Runs the tasks in the background, one after the other. A failed task is retried in the next round. */
export function createSchedule({ tasks, everyMs, onDone, onError }: ScheduleOptions) {
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()

  async function round() {
    let pauseMs = everyMs
    for (const [name, task] of Object.entries(tasks)) {
      if (stopping.signal.aborted) return
      try {
        const count = await task(stopping.signal)
        if (count > 0) onDone?.(name, count)
      } catch (error) {
        onError(name, error)
        if (isTransient(error instanceof LeadError ? error.cause : error)) pauseMs = Math.min(everyMs, retryMs)
      }
    }
    if (!stopping.signal.aborted) timer = setTimeout(start, pauseMs).unref()
  }

  function start() {
    running = round()
  }

  return {
    /** Runs all tasks now and after each pause. Does not keep the process alive. */
    start,
    /** Resolves when no task is running. */
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await running
    },
  }
}
