import type { Document } from '../document.ts'
import { baseStyle } from './style/base.ts'
import { contentStyle } from './style/content.ts'

export const stylesheetPath = '/site.css'

/** The one stylesheet of the pages. */
export function createStylesheet(): Document {
  return {
    path: stylesheetPath,
    contentType: 'text/css; charset=utf-8',
    render: () => baseStyle + contentStyle,
    readableAnywhere: false,
  }
}
