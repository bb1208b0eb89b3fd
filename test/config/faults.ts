import assert from 'node:assert/strict'
import { readConfig } from '../../src/config/config.ts'
import { ConfigError } from '../../src/config/faults.ts'

/** What a start with these settings is refused for; empty: it is not. */
export function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    assert(error instanceof ConfigError)
    return error.faults
  }
  return []
}
