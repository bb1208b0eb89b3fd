import { readFileSync } from 'node:fs'

/** Parses one kind of value. `parse` throws when the text is invalid. */
export interface ValueType<T> {
  /** Completes "expected …", as in "expected a whole number, at least 1". */
  expected: string
  parse(text: string): T
}

/** One row of the settings table. */
export interface Setting<T> {
  type: ValueType<T>
  /** What it is for, with its unit, as shown in docs/settings.md (Markdown). */
  meaning: string
  /** The default, written as in the environment. Absent: none. */
  default?: string
  /** Text for the default column of docs/settings.md when the default is not a constant. */
  otherwise?: string
  /** May contain a secret: can be read from the file that NAME_FILE names, and is never shown. */
  secret?: true
}

/** A table of settings, by variable name. */
export type Settings = Readonly<Record<string, Setting<unknown>>>

/** The values of a table. `undefined` only for settings without a default. */
export type Values<Table extends Settings> = {
  readonly [Name in keyof Table]: Table[Name] extends { type: ValueType<infer T> }
    ? Table[Name] extends { default: string }
      ? T
      : T | undefined
    : never
}

/** Says what is wrong with a value, without any part of it. */
export class ValueError extends TypeError {
  override readonly name = 'ValueError'
}

/** An invalid configuration. Lists all bad variables, one line each, without secrets. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly string[]
  /** Hints that may explain the faults, one line each. */
  readonly warnings: readonly string[]

  constructor(faults: readonly string[], warnings: readonly string[]) {
    super(faults.join('\n'))
    this.faults = faults
    this.warnings = warnings
  }
}

/** Collects configuration faults, so that all are reported together. */
export class Faults {
  readonly #lines: string[] = []
  readonly #names = new Set<string>()

  /** Reports a fault of related variables. Ignored when one of them has a fault already, which may be the cause. */
  add(names: readonly string[], text: string): void {
    const settings = names.map((name) => name.replace(/_FILE$/, ''))
    if (settings.some((name) => this.#names.has(name))) return
    for (const name of settings) this.#names.add(name)
    this.#lines.push(`${names.join(', ')}: ${text}`)
  }

  /** Throws a `ConfigError` if there are any faults. */
  throwIfAny(warnings: readonly string[]): void {
    if (this.#lines.length > 0) throw new ConfigError(this.#lines, warnings)
  }
}

/** The environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The values of a table of settings. */
export interface Reading<Table extends Settings> {
  /** An invalid variable has its default here, so that checks across variables can continue. */
  values: Values<Table>
  /** The paths of values that were read from files. */
  files: { readonly [Name in keyof Table]?: string }
}

/** Reads every variable of a table and reports the invalid ones. An empty variable counts as not set. */
export function readSettings<const Table extends Settings>(
  table: Table,
  env: Environment,
  faults: Faults,
): Reading<Table> {
  const values: Record<string, unknown> = {}
  const files: Record<string, string> = {}
  for (const [name, setting] of Object.entries(table)) {
    const source = findText(name, setting, env, faults)
    if (source?.file) files[name] = source.file
    values[name] = source && parse(source, setting, faults)
    if (values[name] === undefined && setting.default !== undefined) values[name] = setting.type.parse(setting.default)
  }
  return { values: values as Values<Table>, files: files as Reading<Table>['files'] }
}

interface Source {
  /** The variable that was set: the setting's name, or with `_FILE`. */
  variable: string
  text: string
  file?: string
}

function findText(name: string, { secret }: Setting<unknown>, env: Environment, faults: Faults): Source | undefined {
  const text = env[name]?.trim()
  const twin = `${name}_FILE`
  const file = secret && env[twin]?.trim()
  if (!file) return text ? { variable: name, text } : undefined
  if (text) {
    faults.add([name], `expected either ${name} or ${twin}, got both`)
    return undefined
  }
  try {
    return { variable: twin, text: readFileSync(file, 'utf8').trim(), file }
  } catch (error) {
    faults.add([twin], `expected the path of a readable file; got ${(error as NodeJS.ErrnoException).code}`)
    return undefined
  }
}

function parse({ variable, text, file }: Source, { type, secret }: Setting<unknown>, faults: Faults): unknown {
  try {
    return type.parse(text)
  } catch (error) {
    const why = error instanceof ValueError ? ` (${error.message})` : ''
    const got = file ? 'a file whose content is not shown' : secret ? 'a value that is not shown' : show(text)
    faults.add([variable], `expected ${type.expected}; got ${got}${why}`)
    return undefined
  }
}

/** A text with an at sign, encoded or not, may be a URL with a password that was put into the wrong variable. */
function show(text: string): string {
  return /@|%40/i.test(text) ? 'a value that is not shown, as it has an at sign' : JSON.stringify(text)
}
