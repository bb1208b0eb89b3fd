import { readFileSync } from 'node:fs'
import { isOneEdit } from '../lead/advice/member-names.ts'

/** Parses one kind of value. `parse` throws when the text is invalid. */
export interface ValueType<T> {
  /** Completes "expected …", as in "expected a whole number, at least 1". */
  expected: string
  parse(text: string): T
}

export interface Setting<T> {
  type: ValueType<T>
  /** What it is for, with its unit, as shown in docs/settings.md (Markdown). */
  meaning: string
  default?: string
  /** Text for the default column of docs/settings.md when the default is not a constant. */
  otherwise?: string
  /** The value is never shown, and may come from the file that NAME_FILE names. */
  secret?: true
}

export type Settings = Readonly<Record<string, Setting<unknown>>>

/** The values of a table. Only settings without a default may be undefined. */
export type Values<Table extends Settings> = {
  readonly [Name in keyof Table]:
    | ReturnType<Table[Name]['type']['parse']>
    | (Table[Name] extends { default: string } ? never : undefined)
}

export type Environment = Readonly<Record<string, string | undefined>>

/** Says why a value is invalid, without showing it. */
export class ValueError extends TypeError {}

/** An invalid configuration. The message names all bad variables, one line each, without secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export class ConfigFaults {
  readonly lines: string[] = []
  readonly #names = new Set<string>()

  /** Reports a fault of variables (`A, B`), unless one of them already has a fault, which may be the cause. */
  add(variables: string, text: string): void {
    const settings = variables.split(', ').map((name) => name.replace(/_FILE$/, ''))
    if (!settings.some((name) => this.#names.has(name))) this.lines.push(`${variables}: ${text}`)
    for (const name of settings) this.#names.add(name)
  }
}

/** Reads every variable of a table. Invalid ones are reported and get their defaults. Empty ones count as not set. */
export function readSettings<const Table extends Settings>(table: Table, env: Environment, faults: ConfigFaults) {
  const values = Object.entries(table).map(([name, setting]) => {
    const value = readValue(name, setting, env, faults)
    return [name, value ?? (setting.default === undefined ? undefined : setting.type.parse(setting.default))]
  })
  return Object.fromEntries(values) as Values<Table>
}

function readValue(name: string, { type, secret }: Setting<unknown>, env: Environment, faults: ConfigFaults): unknown {
  const twin = `${name}_FILE`
  const [value, path] = [env[name]?.trim(), secret && env[twin]?.trim()]
  if (value && path) return faults.add(name, `expected either ${name} or ${twin}, got both`)
  let text = value
  try {
    if (path) text = readFileSync(path, 'utf8').trim()
  } catch (error) {
    return faults.add(twin, `expected the path of a readable file; got ${(error as NodeJS.ErrnoException).code}`)
  }
  if (!text && !path) return undefined
  try {
    return type.parse(String(text))
  } catch (error) {
    const why = error instanceof ValueError ? ` (${error.message})` : ''
    const got = path ? 'a file whose content is not shown' : secret ? 'a value that is not shown' : show(String(text))
    return faults.add(path ? twin : name, `expected ${type.expected}; got ${got}${why}`)
  }
}

/** Hides a text with an at sign, encoded or not: it may be a URL with a password, in the wrong variable. */
function show(text: string): string {
  return /@|%40/i.test(text) ? 'a value that is not shown, as it has an at sign' : JSON.stringify(text)
}

/** Warns of unknown variables that are one letter from a setting's name, or have a `_FILE` that it does not support. */
export function findNearMisses(table: Settings, env: Environment): string[] {
  const names = Object.entries(table).flatMap(([name, { secret }]) => (secret ? [name, `${name}_FILE`] : [name]))
  return Object.keys(env).flatMap((variable) => {
    if (names.includes(variable)) return []
    const upper = variable.toUpperCase()
    const hasFile = (name: string) => variable === `${name}_FILE`
    // One letter away from a short name is usually another word: HOSTS, POST, PORTS, SORT.
    const isMisspelled = (name: string) => name.length > 4 && (name === upper || isOneEdit(upper, name))
    const meant = names.find((name) => hasFile(name) || isMisspelled(name))
    return meant === undefined ? [] : [`${variable}: no setting has this name; did you mean ${meant}?`]
  })
}
