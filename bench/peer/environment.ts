/** Reads a setting that the runner passes to every server. Throws when it is missing. */
export function setting(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: servers of the benchmark are started by run.ts`)
  return value
}

/** The loopback port for HTTP/1.1. */
export const port = Number(setting('PORT'))

/** The loopback port for cleartext HTTP/2, if supported. */
export const internalPort = Number(setting('INTERNAL_PORT'))
