import { type ServerOptions, startServer } from '../server.ts'
import { median, rounds } from './estimate.ts'
import { residentMebibytes } from './process-cpu.ts'

/** How fast a server starts, and its memory afterward: medians over the rounds. */
export interface Start {
  /** Time from the start of the process to its first answer, in milliseconds. */
  firstAnswerMs: number
  /** Resident memory while idle, in MiB. */
  idleMebibytes: number
}

/** Long enough for work that a server defers until after its start. */
const idleMs = 500

/** Starts a server repeatedly, on a database that it has used before. */
export async function measureStart(options: ServerOptions): Promise<Start> {
  const startsMs: number[] = []
  const mebibytes: number[] = []
  for (let round = 0; round < rounds; round++) {
    await using server = await startServer(options)
    startsMs.push(server.startMs)
    await new Promise((resolve) => setTimeout(resolve, idleMs))
    mebibytes.push(residentMebibytes(server.pid))
  }
  return { firstAnswerMs: median(startsMs), idleMebibytes: median(mebibytes) }
}
