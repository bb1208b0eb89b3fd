import type { Document } from '../document.ts'

export const stylesheetPath = '/site.css'

/** The one stylesheet of the pages. */
export function createStylesheet(): Document {
  return {
    path: stylesheetPath,
    contentType: 'text/css; charset=utf-8',
    body: 'body{font-family:system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1rem}',
    readableAnywhere: false,
  }
}
