import { join } from 'node:path'
import { root } from '../support/process.ts'
import { skipWithoutFile } from '../support/tools.ts'

/** For a test's `skip`: the generators are a separate package because of their many dependencies. */
export const skipWithoutGenerators: string | false = skipWithoutFile(
  join(root, 'generators/node_modules'),
  'run `npm ci --ignore-scripts --prefix generators`',
)
