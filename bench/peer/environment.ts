/** Reads a setting that the runner gives to every server it starts. Throws when it is missing. */
export function setting(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set: servers of the benchmark are started by run.ts`)
  return value
}

/** Where the server listens for HTTP/1.1, on loopback. */
export const port = Number(setting('PORT'))

/** Where the server listens for cleartext HTTP/2, if it speaks it. */
export const internalPort = Number(setting('INTERNAL_PORT'))
