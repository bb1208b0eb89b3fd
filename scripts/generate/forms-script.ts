import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync, transformSync } from 'esbuild'

const folder = join(import.meta.dirname, '../../src/site/form')
/** The oldest browser that customers still use. */
const target = 'safari15'

/** The script of the website forms, without the values of a deployment. */
export function createFormsScript(): string {
  const css = readFileSync(join(folder, 'style.css'), 'utf8')
  const style = transformSync(css, { loader: 'css', minify: true, target, charset: 'utf8' }).code
  const { outputFiles } = buildSync({
    entryPoints: [join(folder, 'element.ts')],
    bundle: true,
    minify: true,
    write: false,
    target,
    format: 'esm',
    charset: 'utf8',
    lineLimit: 160,
    define: { styleText: JSON.stringify(style) },
    tsconfigRaw: '{}',
  })
  return outputFiles.map(({ text }) => text).join('')
}
