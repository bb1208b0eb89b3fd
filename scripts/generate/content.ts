import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { consentRule } from '../../src/lead/wording.ts'
import { apiRootPath, apiVersion, leadsPath } from '../../src/public-paths.ts'
import { bodyMaxBytes } from '../../src/rest/body.ts'
import { grouped } from '../../src/site/values.ts'
import { statement } from './facts/fields.ts'

const folder = 'src/site/content'

/** Reads a text that people write: a page, a sample, the layout. An error names the file. */
export function readContent(name: string): string {
  try {
    return readFileSync(join(import.meta.dirname, '../..', folder, name), 'utf8')
  } catch {
    throw new Error(`write ${folder}/${name}`)
  }
}

/** A sample, which runs once its placeholders are replaced. */
export const readSample = (file: string) =>
  readContent(`samples/${file}`).replaceAll('https://api.example.org', '{{baseUrl}}')

/** The values that are the same in every deployment. */
const sharedValues: Readonly<Record<string, string>> = {
  version: apiVersion,
  apiRoot: apiRootPath,
  aliasSuccessor: leadsPath,
  consentRule,
  statement,
  bodyBytes: grouped(bodyMaxBytes),
}

/**
 * Reads a text and puts values into it. Its other placeholders stay for the deployment to fill. `{{> samples/FILE}}` is
 * the text of a sample.
 */
export function fillContent(name: string, values: Readonly<Record<string, string>> = {}): string {
  return readContent(name)
    .replace(/\{\{> samples\/([\w.]+)\}\}/g, (_, file: string) => readSample(file).trimEnd())
    .replace(/\{\{(\w+)\}\}/g, (whole, key: string) => values[key] ?? sharedValues[key] ?? whole)
    .replace(/\n{3,}/g, '\n\n')
}
