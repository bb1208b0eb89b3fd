import { readFileSync } from 'node:fs'

/** Descriptors for all else: databases, Redis, the other two listeners, files, and connections that are being refused. */
const reserved = 100

/** Reads the limit on open files. Node has raised it to the hard limit by then. Only Linux tells. */
export function readDescriptorLimit(path = '/proc/self/limits'): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync(path, 'utf8')) ?? []
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}

/**
 * How many public connections a process can hold. With few descriptors, connections that do nothing would otherwise take
 * those that the database and the probes need. However few there are, half of them serve callers.
 */
export function capConnections(wanted: number, descriptors: number | undefined): number {
  if (descriptors === undefined) return wanted
  return Math.min(wanted, Math.max(descriptors - reserved, Math.floor(descriptors / 2)))
}
