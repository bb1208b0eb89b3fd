// `npm ci` ends with this: it strips and compiles what `npm start` runs, in a process that takes the compiler's memory
// with it. Nothing depends on it but the time and the memory of the first start.
import * as module from 'node:module'
import { compileCache } from './compile-cache.js'

if (process.features.typescript) {
  module.enableCompileCache(compileCache)
  await import('../src/local.ts')
  await import('../src/store/sqlite/store.ts')
  await import('../src/store/sqlite/sqlite-worker.ts')
  // The cache is written at the end; what has been loaded must not keep it from coming.
  process.exit()
}
