import { parseArgs } from 'node:util'
import type { Lead } from '../../gen/leadintake/v1/lead_pb.ts'
import { uuid } from '../../inbox/stored-lead.ts'
import { hasRealDay } from '../../lead/check-value.ts'

export const usage = `Usage: npm run -s leads -- [options] [ID]

Shows the newest leads of the service that runs here, the newest last. With an ID, that lead in full.

      --name TEXT    leads of one person, by any part of the name
      --contact TEXT leads of one person, by e-mail address or phone number
  -s, --since WHEN   leads received since then: 30m, 12h, 7d, 2026-11-22, or 2026-11-22T14:00:00Z
  -n, --limit N      at most the N newest (without options: 20)
      --read-today   leads that may ask for no more contact, until an opt-out of all channels is recorded
      --csv          comma-separated values, for a spreadsheet
      --json         one JSON object a line`

const flags = {
  since: { type: 'string', short: 's' },
  limit: { type: 'string', short: 'n' },
  contact: { type: 'string', default: '' },
  name: { type: 'string', default: '' },
  'read-today': { type: 'boolean', default: false },
  csv: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const

export function parseOptions(args: string[], nowMs: number) {
  const { values, positionals } = parseArgs({ args, options: flags, allowPositionals: true })
  const { csv, json, contact, name, 'read-today': toRead } = values
  const [id = '', ...more] = positionals
  if (more.length > 0 || (id && !uuid.test(id))) throw new Error('expected the id of one lead, --name or --contact')
  if (values.limit && !/^[1-9]\d{0,6}$/.test(values.limit))
    throw new Error('expected --limit as a whole number, at least 1')
  const since = values.since === undefined ? undefined : parseTime('--since', values.since, nowMs)
  const isShort = !csv && !json && !since && contact === '' && name === '' && !toRead
  const limit = Number(values.limit ?? (isShort ? 20 : Infinity))
  const matches = ({ content, possibleOptOut }: Lead) =>
    (!toRead || possibleOptOut) && hasWords(content.value?.name ?? '', name)
  const format = csv ? ('csv' as const) : json ? ('json' as const) : ('table' as const)
  return { format, id, contact, name, matches, since, limit }
}

/** Whether a name has all these words, without accents, signs and case: `sam lee` is in "Sam & Kim Lee". */
export function hasWords(name: string, words: string): boolean {
  const fold = (text: string) =>
    text
      .normalize('NFKD')
      .replace(/[\p{M}\p{P}]/gu, '')
      .toUpperCase()
  return words.split(' ').every((word) => fold(name).includes(fold(word)))
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** An age (`12h`), a day in this machine's time zone, or a date-time. */
export function parseTime(option: string, text: string, nowMs: number): Date {
  const [, count, unit] = /^(\d{1,5})([mhdw])$/.exec(text) ?? []
  if (count && unit) return new Date(nowMs - Number(count) * unitMs[unit as keyof typeof unitMs])
  const [day = ''] = /^\d{4}-\d{2}-\d{2}(?=$|T)/.exec(text) ?? []
  const time = new Date(day === text ? `${text}T00:00:00` : text)
  if (Number.isNaN(time.getTime()) || !hasRealDay(day))
    throw new Error(`expected ${option} as 30m, 12h, 7d, 2026-11-22 or 2026-11-22T14:00:00Z`)
  return time
}
