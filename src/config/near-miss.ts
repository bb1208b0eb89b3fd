import { editDistance } from '../edit-distance.ts'
import type { Environment } from './reader.ts'
import type { Settings } from './setting.ts'

/** An unknown variable, and the setting that was probably meant. */
export interface NearMiss {
  variable: string
  meant: string
}

/** Shorter names that differ in one letter are usually other words: HOSTS, POST, PORTS, SORT. */
const shortName = 6

/** From this length on, two letters may differ. */
const longName = 8

/** Common variables of other programs that are two letters away from one of ours. */
const othersNames = new Set(['EXTERNAL_HOST', 'EXTERNAL_PORT'])

/**
 * Finds variables that are one or two letters away from a setting's name, or that have a `_FILE` suffix that the
 * setting does not support.
 */
export function findNearMisses(table: Settings, env: Environment): NearMiss[] {
  const names = Object.entries(table).flatMap(([name, { secret }]) => (secret ? [name, `${name}_FILE`] : [name]))
  const known = new Set(names)
  return Object.keys(env).flatMap((variable) => {
    if (known.has(variable) || othersNames.has(variable)) return []
    // Only secrets can be read from files.
    const plain = variable.replace(/_FILE$/, '')
    if (known.has(plain)) return [{ variable, meant: plain }]
    const [nearest] = names
      .filter((name) => Math.abs(name.length - variable.length) <= 2)
      .map((name) => ({ name, edits: editsBetween(variable.toUpperCase(), name) }))
      .filter(({ edits }) => edits !== undefined)
      .sort((a, b) => Number(a.edits) - Number(b.edits))
    return nearest ? [{ variable, meant: nearest.name }] : []
  })
}

/** The edit distance to a setting's name. Undefined: too large to be a misspelling. */
function editsBetween(variable: string, name: string): number | undefined {
  if (isFarByLetters(variable, name)) return undefined
  const edits = editDistance(variable, name)
  if (name.length < shortName) return edits === 1 && isSameLetters(variable, name) ? edits : undefined
  if (edits > (name.length < longName ? 1 : 2)) return undefined
  return edits < 2 || isNearWordByWord(variable, name) ? edits : undefined
}

/**
 * Whether the names differ by more than two edits for certain, because one lacks more than two letters of the other.
 * This quickly excludes almost every variable; Kubernetes may set hundreds.
 */
function isFarByLetters(variable: string, name: string): boolean {
  let rest = variable
  let missing = 0
  for (const letter of name) {
    const index = rest.indexOf(letter)
    if (index >= 0) rest = rest.slice(0, index) + rest.slice(index + 1)
    else if (++missing > 2) return true
  }
  return rest.length > 2
}

/** Two edits are too many when they replace most of a word: `APP_PORT` is not a misspelled `OPS_PORT`. */
function isNearWordByWord(variable: string, name: string): boolean {
  const [theirs, ours] = [variable.split('_'), name.split('_')]
  if (theirs.length !== ours.length) return true
  return ours.every((word, index) => word.length > 4 || editDistance(theirs[index] ?? '', word) < 2)
}

function isSameLetters(a: string, b: string): boolean {
  return [...a].sort().join() === [...b].sort().join()
}
