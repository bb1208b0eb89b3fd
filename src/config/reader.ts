import type { Faults } from './faults.ts'
import type { Setting, Settings, Values } from './setting.ts'
import { readSettingFile } from './setting-file.ts'

/** The environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The values of a table of settings. */
export interface Reading<Table extends Settings> {
  /** An invalid variable has its default here, so that checks across variables can continue. */
  values: Values<Table>
  /** The paths of values that were read from files. */
  files: { readonly [Name in keyof Table]?: string }
}

/** Reads every variable of a table and reports the invalid ones. An empty variable counts as not set. */
export function readSettings<const Table extends Settings>(
  table: Table,
  env: Environment,
  faults: Faults,
): Reading<Table> {
  const values: Record<string, unknown> = {}
  const files: Record<string, string> = {}
  for (const [name, setting] of Object.entries(table)) {
    const source = findText(name, setting, env, faults)
    if (source?.file) files[name] = source.file
    values[name] = source && parse(source, setting, faults)
    if (values[name] === undefined && setting.default !== undefined) values[name] = setting.type.parse(setting.default)
  }
  return { values: values as Values<Table>, files: files as Reading<Table>['files'] }
}

interface Source {
  /** The variable that was set: the setting's name, or with `_FILE`. */
  variable: string
  text: string
  file?: string
}

function findText(name: string, { secret }: Setting<unknown>, env: Environment, faults: Faults): Source | undefined {
  const text = env[name]?.trim()
  const twin = `${name}_FILE`
  const file = secret && env[twin]?.trim()
  if (!file) return text ? { variable: name, text } : undefined
  if (text) {
    faults.add([name], `expected either ${name} or ${twin}, got both`)
    return undefined
  }
  try {
    return { variable: twin, text: readSettingFile(file).toString('utf8').trim(), file }
  } catch (error) {
    faults.add([twin], `expected the path of a readable file; got ${(error as NodeJS.ErrnoException).code}`)
    return undefined
  }
}

function parse({ variable, text, file }: Source, { type, secret }: Setting<unknown>, faults: Faults): unknown {
  try {
    return type.parse(text)
  } catch {
    const got = file ? 'a file whose content is not shown' : secret ? 'a value that is not shown' : show(text)
    faults.add([variable], `expected ${type.expected}; got ${got}`)
    return undefined
  }
}

/** A text with an at sign, encoded or not, may be a URL with a password that was put into the wrong variable. */
function show(text: string): string {
  return /@|%40/i.test(text) ? 'a value that is not shown, as it has an at sign' : JSON.stringify(text)
}
