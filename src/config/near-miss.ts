import { editDistance } from '../lead/advice/edit-distance.ts'
import type { Environment, Settings } from './reader.ts'

/** Names that are shorter than this and differ in one letter are usually other words: HOSTS, POST, PORTS, SORT. */
const shortName = 6

/** From this length on, two letters may differ. */
const longName = 8

/** Common variables of other programs that are two letters away from one of ours. */
const othersNames = new Set(['EXTERNAL_HOST', 'EXTERNAL_PORT'])

/**
 * Finds unknown variables that are one or two letters away from a setting's name, or that have a `_FILE` suffix that
 * the setting does not support. `meant` is the nearest name.
 */
export function findNearMisses(table: Settings, env: Environment): { variable: string; meant: string }[] {
  const names = Object.entries(table).flatMap(([name, { secret }]) => (secret ? [name, `${name}_FILE`] : [name]))
  const known = new Set(names)
  return Object.keys(env).flatMap((variable) => {
    if (known.has(variable) || othersNames.has(variable)) return []
    // Only secrets can be read from files.
    const plain = variable.replace(/_FILE$/, '')
    if (known.has(plain)) return [{ variable, meant: plain }]
    const near = names.filter((name) => Math.abs(name.length - variable.length) <= 2)
    const [nearest] = near
      .map((meant) => ({ meant, edits: editDistance(variable.toUpperCase(), meant) }))
      .filter(({ meant, edits }) => isMisspelling(variable.toUpperCase(), meant, edits))
      .sort((a, b) => a.edits - b.edits)
    return nearest ? [{ variable, meant: nearest.meant }] : []
  })
}

function isMisspelling(variable: string, name: string, edits: number): boolean {
  if (name.length < shortName) return edits === 1 && [...variable].sort().join() === [...name].sort().join()
  if (edits < 2 || edits > (name.length < longName ? 1 : 2)) return edits < 2
  // Two edits are too many when they replace most of a word: `APP_PORT` is not a misspelled `OPS_PORT`.
  const theirs = variable.split('_')
  const ours = name.split('_')
  return (
    theirs.length !== ours.length ||
    ours.every((word, index) => word.length > 4 || editDistance(theirs[index] ?? '', word) < 2)
  )
}
