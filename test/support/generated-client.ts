import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The command for a language in docs/inbox.md. */
export function documentedCommand(language: string): string {
  const markdown = readFileSync(join(root, 'docs/inbox.md'), 'utf8')
  const section = markdown.split('## Generate a client')[1]?.split('\n## ')[0] ?? ''
  const command = section.split(`\n${language}, with`)[1]?.match(/```sh\n([\s\S]*?)```/)?.[1]
  assert.ok(command, language)
  return command
}

/** Copies the same files as another team would, and generates a client into `gen/` next to them. */
export function generateClient(language: string, folder: string): void {
  mkdirSync(folder, { recursive: true })
  for (const name of ['proto', 'third_party']) cpSync(join(root, name), join(folder, name), { recursive: true })
  // Only for the TypeScript command, which runs a plugin from npm, and for its output.
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  execFileSync('sh', ['-ec', documentedCommand(language)], { cwd: folder, stdio: 'pipe' })
}
