import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { consentRule } from '../../src/consent/wording.ts'
import { leadRules } from '../../src/lead/rules.ts'
import type { LeadKind } from '../../src/lead/submission.ts'
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

/** A part of several texts, or a sample, which runs once its placeholders are replaced. */
export const readPart = (file: string) => readContent(file).replaceAll('https://api.example.org', '{{baseUrl}}')

/** The required texts of a kind. */
function textsOf(kind: LeadKind): string {
  const texts = leadRules[kind].filter(({ required, type }) => required && type === 'string')
  return texts.map(({ name }) => `\`${name}\``).join(', ')
}

/** The values that are the same in every deployment. */
const sharedValues: Readonly<Record<string, string>> = {
  version: apiVersion,
  apiRoot: apiRootPath,
  legacySuccessor: leadsPath,
  consentRule,
  statement,
  bodyBytes: grouped(bodyMaxBytes),
  quoteTexts: textsOf('quote'),
  messageTexts: textsOf('support'),
}

/** A text without the bullets of section tags, which only the renderer of pages needs. */
export const withoutTagBullets = (text: string) => text.replace(/^( *)- (?=\{\{[#^/]\w+\}\}$)/gm, '$1')

/**
 * Reads a text and puts values into it. Its other placeholders stay for the deployment to fill. `{{> FILE}}` is the
 * text of another file, indented as it stands.
 */
export function fillContent(name: string, values: Readonly<Record<string, string>> = {}): string {
  return readContent(name)
    .replace(/^( *)\{\{> ([\w./-]+)\}\}/gm, (_, indent: string, file: string) =>
      readPart(file)
        .trimEnd()
        .replace(/^(?=.)/gm, indent),
    )
    .replace(/\{\{(\w+)\}\}/g, (whole, key: string) => values[key] ?? sharedValues[key] ?? whole)
    .replace(/\n{3,}/g, '\n\n')
}
