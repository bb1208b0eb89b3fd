import { fileURLToPath } from 'node:url'

/** Where `npm start` finds what has been compiled. */
export const compileCache = fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url))
