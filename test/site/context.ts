import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { readConfig } from '../../src/config/config.ts'
import { createConsentTexts } from '../../src/consent/wording.ts'
import { createDocuments } from '../../src/site/documents.ts'
import type { DiscoveryContext } from '../../src/site/values.ts'
import { nowMs } from '../support/submissions.ts'

export const baseUrl = 'https://api.example.org'

/** A deployment's settings, by default those of an empty environment. */
export function createContext(changes: Partial<DiscoveryContext> = {}): DiscoveryContext {
  const defaults = readConfig({})
  return { ...defaults, baseUrl, consent: createConsentTexts(defaults.business), now: () => nowMs, ...changes }
}

/** The documents of this deployment, with their texts, and those of their paths plus `.md`. */
export function renderDocuments(changes: Partial<DiscoveryContext> = {}) {
  const documents = createDocuments(createContext(changes)).map((one) => ({ ...one, body: one.render() }))
  const texts = new Map(documents.map(({ path, body }) => [path, body]))
  return documents.map((one) => ({ ...one, markdown: texts.get(`${one.path}.md`) ?? '' }))
}

/** Compiles a part of an OpenAPI document, whose `$ref`s are relative to the whole of it, into a check of values. */
export function validatorsOf(openapi: object) {
  // It does not know OpenAPI's own keywords next to the schemas.
  const ajv = new Ajv2020({ allErrors: true, strict: false })
  formats.default(ajv)
  ajv.addSchema(openapi, 'openapi')
  return (schema: object) => ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')))
}

/** Finds one of the documents. */
export function documentsOf(changes: Partial<DiscoveryContext> = {}) {
  const documents = renderDocuments(changes)
  return (path: string) => documents.find((one) => one.path === path) ?? assert.fail(`no document at ${path}`)
}
