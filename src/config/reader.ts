import { readFileSync } from 'node:fs'

/** The environment as text. */
export type Environment = Readonly<Record<string, string | undefined>>

/** How one kind of value is read. `parse` throws when the text is none. */
export interface ValueType<T> {
  /** What is expected, as in "expected a whole number, at least 1". */
  expected: string
  parse(text: string): T
}

/** A start that must not happen: every bad variable at once, one line each; no secret is in it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly string[]

  constructor(faults: readonly string[]) {
    super(faults.join('\n'))
    this.faults = faults
  }
}

/** Collects the faults of an environment while its variables are read, so that all are told at once. */
export class EnvironmentReader {
  readonly #env: Environment
  readonly #faults: string[] = []

  constructor(env: Environment) {
    this.#env = env
  }

  /** A variable's value; undefined when it is not set, is empty, or is at fault. */
  value<T>(name: string, type: ValueType<T>): T | undefined {
    const text = this.#env[name]?.trim()
    return text ? this.#parse(name, text, type, JSON.stringify(text)) : undefined
  }

  /** The same for a value that can hold a secret: it may come from the file that NAME_FILE names, and is never shown. */
  secret<T>(name: string, type: ValueType<T>): T | undefined {
    const path = this.filePath(name)
    const direct = this.#env[name]?.trim()
    if (path && direct) return this.fault(`${name}: expected either ${name} or ${name}_FILE, got both`)
    if (!path) return direct ? this.#parse(name, direct, type, 'a value that is not shown') : undefined
    try {
      return this.#parse(`${name}_FILE`, readFileSync(path, 'utf8').trim(), type, 'a content that is not shown')
    } catch (error) {
      return this.fault(
        `${name}_FILE: expected the path of a readable file; got ${(error as NodeJS.ErrnoException).code}`,
      )
    }
  }

  /** The path in a variable's `_FILE` twin. */
  filePath(name: string): string | undefined {
    return this.#env[`${name}_FILE`]?.trim() || undefined
  }

  /** Notes a fault that spans variables. */
  fault(line: string): undefined {
    this.#faults.push(line)
  }

  /** Throws a `ConfigError` when anything was at fault. */
  finish(): void {
    if (this.#faults.length > 0) throw new ConfigError(this.#faults)
  }

  #parse<T>(name: string, text: string, type: ValueType<T>, shown: string): T | undefined {
    try {
      return type.parse(text)
    } catch {
      return this.fault(`${name}: expected ${type.expected}; got ${shown}`)
    }
  }
}
