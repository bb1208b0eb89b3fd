import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LeadContent } from '../lead/submission.ts'

// The phrases are in a list that an office and a lawyer can read. The build copies it next to the bundle.
const text = readFileSync(join(import.meta.dirname, 'opt-out-phrases.txt'), 'utf8')

/** The lists of words, by the names that stand for them in phrases. */
const lists = new Map(Array.from(text.matchAll(/^([A-Z_]+) = (.+)$/gm), ([, name, words]) => [name, words] as const))

/** Each phrase, a text that has it, and perhaps an ordinary text that does not. */
export const optOutPhrases = text
  .split('\n\n')
  .filter((block) => !block.startsWith('#') && !block.includes(' = '))
  .map((block) => block.trim().split(/\n {2}(?:yes|no): /))

/** Matches the words of a phrase, each with the space after it. */
function toPattern(phrase: string): string {
  const spelledOut = phrase.replace(/[A-Z_]{2,}/g, (name) => lists.get(name) ?? name)
  const words = spelledOut.split(' ').map((word) => {
    if (word === '^') return '\\. '
    if (word === '$') return '(?=\\.)'
    if (word === '!') return '(?!(?:me |us )?(?:before|while) )'
    if (word === '~') return `(?:(?:${lists.get('SMALL')}) ){0,12}`
    if (word === '...') return '(?:\\w+ ){0,4}'
    const [, of = word, optional = ''] = /^(.*)(\?)$/.exec(word) ?? []
    return `(?:(?:${of.replaceAll('*', '\\w*')}) )${optional}`
  })
  return `(?<= |^)${words.join('')}`
}

const pattern = new RegExp(optOutPhrases.map(([phrase = '']) => toPattern(phrase)).join('|'))

/** Words in lowercase without accents, and a dot at each end of a sentence, with a space after each. */
function simplify(text: string): string {
  const words = text
    .replace(/[\u2019\u2018\u00b4`]/g, "'")
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\be-mail/g, 'email')
    .replace(/\bwon'?t\b/g, 'will not')
    .replace(/\bcan'?t\b|\bcannot\b/g, 'can not')
    .replace(/\b(do|does|did|is|was|have|had|are|would|should|could)n'?t\b/g, '$1 not')
    .replace(/[.!?;:\n]+/g, ' . ')
    .replace(/[^a-z0-9.]+/g, ' ')
    .trim()
  return `. ${words} . `
}

export function isPossibleOptOut({ notes, message, helpWith }: LeadContent): boolean {
  return [notes, message, helpWith].some((text) => typeof text === 'string' && pattern.test(simplify(text)))
}
