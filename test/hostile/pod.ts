import { type RunningService, runService, serviceCommand } from '../support/process.ts'

/** Starts the service with the heap of the manifest's pod (384 MiB). Without that, V8 sizes its heap by the machine. */
export const runInPod = (settings: Record<string, string> = {}, heapMiB = 192): Promise<RunningService> =>
  runService(settings, [process.execPath, `--max-old-space-size=${heapMiB}`, ...serviceCommand.slice(1)])
