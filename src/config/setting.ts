/** How one kind of value is read. `parse` throws when the text is none. */
export interface ValueType<T> {
  /** What is expected, as in "expected a whole number, at least 1". */
  expected: string
  parse(text: string): T
}

/** One row of the table of settings. */
export interface Setting<T> {
  type: ValueType<T>
  /** What it is for, with its unit, in the README's words (Markdown). */
  meaning: string
  /** The value of a variable that is not set, written as in the environment. Left out: it has none. */
  default?: string
  /** What the README shows as the default where no constant text says it. */
  otherwise?: string
  /** It can hold a secret: it may come from the file that NAME_FILE names, and is never shown. */
  secret?: true
}

/** A table of settings, by the names of their variables. */
export type Settings = Readonly<Record<string, Setting<unknown>>>

/** What a table gives: a value for each setting, `undefined` only where there is no default. */
export type Values<Table extends Settings> = {
  readonly [Name in keyof Table]: Table[Name] extends { type: ValueType<infer T> }
    ? Table[Name] extends { default: string }
      ? T
      : T | undefined
    : never
}
