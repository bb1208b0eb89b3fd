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

  /**
   * Reports a fault of these related variables. Ignored when one of them already has a fault, because that may be the
   * cause.
   */
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
