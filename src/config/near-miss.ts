import { isOneEdit } from '../lead/advice/member-names.ts'
import type { Environment, Settings } from './reader.ts'

/** Names that are shorter than this and differ in one letter are usually other words: HOSTS, POST, PORTS, SORT. */
const shortName = 6

/** Warns of unknown variables that are one letter from a setting's name, or have a `_FILE` that it does not support. */
export function findNearMisses(table: Settings, env: Environment): string[] {
  const names = Object.entries(table).flatMap(([name, { secret }]) => (secret ? [name, `${name}_FILE`] : [name]))
  const known = new Set(names)
  return Object.keys(env).flatMap((variable) => {
    if (known.has(variable)) return []
    // Only secrets can be read from files.
    const plain = variable.replace(/_FILE$/, '')
    const meant = known.has(plain) ? plain : names.find((name) => isMisspelling(variable.toUpperCase(), name))
    return meant === undefined ? [] : [`${variable}: no setting has this name; did you mean ${meant}?`]
  })
}

function isMisspelling(variable: string, name: string): boolean {
  if (name.length >= shortName) return variable === name || isOneEdit(variable, name)
  return isOneEdit(variable, name) && [...variable].sort().join() === [...name].sort().join()
}
