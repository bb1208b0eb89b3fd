import assert from 'node:assert/strict'
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

/** Finds one of them. */
export function documentsOf(changes: Partial<DiscoveryContext> = {}) {
  const documents = renderDocuments(changes)
  return (path: string) => documents.find((one) => one.path === path) ?? assert.fail(`no document at ${path}`)
}
