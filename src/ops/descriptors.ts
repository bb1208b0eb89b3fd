import { readFileSync } from 'node:fs'

/**
 * File descriptors reserved for everything else: databases, Redis, the other listeners, files, and connections being
 * refused.
 */
const reserved = 100

/**
 * Reads the limit on open files, which Node has already raised to the hard limit. Undefined where there is no /proc.
 */
export function readDescriptorLimit(path = '/proc/self/limits'): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync(path, 'utf8')) ?? []
    return soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}

/**
 * How many public connections the process can hold. Without this cap, idle connections could take the descriptors that
 * the database and the probes need. At least half of the descriptors always serve callers.
 */
export function capConnections(wanted: number, descriptors: number | undefined): number {
  if (descriptors === undefined) return wanted
  return Math.min(wanted, Math.max(descriptors - reserved, Math.floor(descriptors / 2)))
}
