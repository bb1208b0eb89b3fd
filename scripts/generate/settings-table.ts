import type { Setting } from '../../src/config/reader.ts'
import { settings } from '../../src/config/settings.ts'

const head = `<!-- Made by \`npm run generate\` from src/config/settings.ts -->

# Settings

For operators. Every setting is an environment variable. A variable marked † can come from a file instead: set \`NAME_FILE\` to its path.
[The specification](specification.md#1-listeners-and-settings) has the rules that span settings.

| variable | default | meaning |
|---|---|---|
`

function printRow([name, { default: value, otherwise, secret, meaning }]: [string, Setting<unknown>]): string {
  return `| \`${name}\`${secret ? '†' : ''} | ${value === undefined ? (otherwise ?? 'none') : `\`${value}\``} | ${meaning} |\n`
}

/** The text of docs/settings.md. */
export function printSettings(): string {
  return head + Object.entries<Setting<unknown>>(settings).map(printRow).join('')
}
