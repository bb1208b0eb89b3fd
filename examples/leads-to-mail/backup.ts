// Writes a copy of the state to the standard output, while the program runs: node backup.ts >mail.db
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const folder = mkdtempSync(join(tmpdir(), 'mail-'))
const file = join(folder, 'mail.db')
const database = new DatabaseSync(process.env.STATE_FILE || 'data/mail.db', { readOnly: true, timeout: 5_000 })
database.prepare('VACUUM INTO ?').run(file)
process.stdout.write(readFileSync(file))
rmSync(folder, { recursive: true })
