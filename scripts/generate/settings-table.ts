import type { Setting } from '../../src/config/setting.ts'
import { settings } from '../../src/config/settings.ts'

const begin = '<!-- settings: made by `npm run generate` from src/config/settings.ts -->\n'
const end = '<!-- end of settings -->\n'

function printRow([name, { default: value, otherwise, secret, meaning }]: [string, Setting<unknown>]): string {
  return `| \`${name}\`${secret ? '†' : ''} | ${value === undefined ? (otherwise ?? 'none') : `\`${value}\``} | ${meaning} |\n`
}

/** Returns a README with its settings table regenerated. */
export function printSettings(readme: string): string {
  const from = readme.indexOf(begin)
  const to = readme.indexOf(end)
  if (from < 0 || to < from) throw new Error('README.md has lost the comments around its table of settings')
  const rows = Object.entries<Setting<unknown>>(settings).map(printRow)
  return `${readme.slice(0, from)}${begin}| variable | default | meaning |\n|---|---|---|\n${rows.join('')}${readme.slice(to)}`
}
