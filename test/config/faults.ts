import assert from 'node:assert/strict'
import { readConfig } from '../../src/config/config.ts'
import { ConfigError } from '../../src/config/reader.ts'

/** The faults of these settings. Empty: they are valid. */
export function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env)
  } catch (error) {
    assert(error instanceof ConfigError)
    return error.faults
  }
  return []
}
