/** A start that must not happen: every bad variable at once, one line each; no secret is in it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly faults: readonly string[]
  /** What may help to find the cause, one line each. */
  readonly warnings: readonly string[]

  constructor(faults: readonly string[], warnings: readonly string[]) {
    super(faults.join('\n'))
    this.faults = faults
    this.warnings = warnings
  }
}

/** Collects what is wrong with the settings, so that everything is told at once. */
export class Faults {
  readonly #lines: string[] = []
  readonly #names = new Set<string>()

  /**
   * Notes that these variables, which belong together, are at fault. Left out when one of them has been named already:
   * its own fault comes first, and may be the cause of this one.
   */
  add(names: readonly string[], text: string): void {
    const settings = names.map((name) => name.replace(/_FILE$/, ''))
    if (settings.some((name) => this.#names.has(name))) return
    for (const name of settings) this.#names.add(name)
    this.#lines.push(`${names.join(', ')}: ${text}`)
  }

  /** Throws a `ConfigError` when anything is at fault. */
  throwIfAny(warnings: readonly string[]): void {
    if (this.#lines.length > 0) throw new ConfigError(this.#lines, warnings)
  }
}
