import type { styleText } from 'node:util'
import stringWidth from 'string-width'
import type { Lead } from '../gen/leadintake/v1/lead_pb.ts'
import { type LeadRecord, toRecord } from './columns.ts'

/** Colors a text, or leaves it as it is. */
export type Paint = (format: Parameters<typeof styleText>[0], text: string) => string

/** Writes leads as the rows of a table that is as wide as the terminal. */
export interface Table {
  header: string
  row(lead: Lead): string
}

const gap = '  '
/** From this width on, a lead is one line. Below it, what the customer wants has a line of its own. */
const wideEnough = 140
const graphemes = new Intl.Segmenter()

/** Makes a table of a width in columns. Its own columns don't depend on the leads, so that it can grow. */
export function createTable(width: number, paint: Paint): Table {
  const fixed = { received: 16, kind: 7, phone: 12 }
  const isWide = width >= wideEnough
  const left = Math.max(width - fixed.received - fixed.kind - fixed.phone - (isWide ? 5 : 4) * gap.length, 20)
  const name = Math.floor(left * (isWide ? 0.2 : 0.45))
  const email = isWide ? Math.floor(left * 0.27) : left - name
  const wish = isWide ? left - name - email : width - gap.length
  const line = (cells: readonly string[]) => {
    const widths = [fixed.received, fixed.kind, name, fixed.phone, email]
    return cells.map((cell, index) => fit(cell, widths[index] as number)).join(gap)
  }
  const head = line(['RECEIVED', 'KIND', 'NAME', 'PHONE', 'E-MAIL'])
  return {
    header: `${paint('bold', isWide ? `${head}${gap}REQUEST` : head.trimEnd())}\n`,
    row(lead) {
      const record = toRecord(lead)
      const cells = line([
        localTime(record.receivedAt),
        record.kind,
        record.erasedAt ? '(erased)' : record.name,
        record.phone.replace(/^(\d{3})(\d{3})(\d{4})$/, '$1-$2-$3'),
        record.email,
      ])
      const request = fit(describeRequest(record), wish).trimEnd()
      const text = isWide ? `${cells}${gap}${request}` : `${cells.trimEnd()}\n${gap}${request}`
      const marked = record.erasedAt ? paint('dim', text) : isStopped(record) ? paint('red', text) : text
      return `${marked}\n`
    },
  }
}

/** What the customer wants, after what must be known before anybody calls. */
function describeRequest(record: LeadRecord): string {
  if (record.erasedAt) {
    return `erased ${record.erasedReason === 'retention' ? 'by age' : 'on request'}: ${record.id}`
  }
  const mark = isStopped(record) ? 'DO NOT CONTACT ' : 'stopped before this request '
  const stop = record.stoppedAt && `${mark}(${localTime(record.stoppedAt)}). `
  if (record.kind === 'support') return `${stop}${record.helpWith}: ${record.message}`
  return `${stop}${record.service}, ${record.bedrooms} bed, ${record.bathrooms} bath: ${record.notes}`
}

/** Whoever asks again after a stop may be contacted about that request, and nothing else. */
const isStopped = ({ stoppedAt, receivedAt }: LeadRecord) => stoppedAt !== '' && stoppedAt >= receivedAt

/** Date and time on the clock of this machine, as 2026-11-22 14:05. */
function localTime(iso: string): string {
  return iso && new Date(iso).toLocaleString('sv').slice(0, 16)
}

/** Fills a text up with spaces, or ends it with `…`, so that it takes exactly this many columns of a terminal. */
export function fit(text: string, width: number): string {
  const missing = width - stringWidth(text)
  if (missing >= 0) return text + ' '.repeat(missing)
  let kept = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    const size = stringWidth(segment)
    if (used + size > width - 1) break
    kept += segment
    used += size
  }
  return `${kept}…${' '.repeat(width - 1 - used)}`
}
