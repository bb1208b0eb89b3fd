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
