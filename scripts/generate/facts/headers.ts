import { parse } from 'yaml'
import { readContent } from '../content.ts'

/** A header that the service sends. Its file explains the members. */
export interface Header {
  description: string
  sent: string
  required?: true
  schema?: { type: string }
  example: string
}

export const headers: Readonly<Record<string, Header>> = parse(readContent('headers.yaml'))

/** The headers of all answers to a submission. */
export const rateHeaders: readonly string[] = Object.keys(headers).filter((name) => name.startsWith('RateLimit-'))

/** An example value, as this deployment sends it. */
export function headerExample(name: string): string {
  const header = headers[name]
  if (!header) throw new Error(`describe ${name} in src/site/content/headers.yaml`)
  return header.example
}
