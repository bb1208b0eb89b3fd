import type { styleText } from 'node:util'
import stringWidth from 'string-width'
import type { Lead } from '../gen/leadintake/v1/lead_pb.ts'
import { type LeadRecord, toRecord } from './columns.ts'

/** Colors a text, or returns it unchanged. */
export type Paint = (format: Parameters<typeof styleText>[0], text: string) => string

/** Formats leads as rows of a table that fits the terminal. */
export interface Table {
  header: string
  row(lead: Lead): string
}

const gap = '  '
/** From this width on, a lead takes one line. Below it, the request has its own line. */
const wideEnough = 140
const graphemes = new Intl.Segmenter()

/** Creates a table for a width in columns. Its layout does not depend on the leads, so rows can be added later. */
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

/** What the customer wants, after anything that must be known before calling. */
function describeRequest(record: LeadRecord): string {
  if (record.erasedAt) {
    return `erased ${record.erasedReason === 'retention' ? 'by age' : 'on request'}: ${record.id}`
  }
  const mark = isStopped(record) ? 'DO NOT CONTACT ' : 'stopped before this request '
  const stop = record.stoppedAt && `${mark}(${localTime(record.stoppedAt)}). `
  if (record.kind === 'support') return `${stop}${record.helpWith}: ${record.message}`
  return `${stop}${record.service}, ${record.bedrooms} bed, ${record.bathrooms} bath: ${record.notes}`
}

/** Somebody who submits again after a stop may be contacted about that request only. */
const isStopped = ({ stoppedAt, receivedAt }: LeadRecord) => stoppedAt !== '' && stoppedAt >= receivedAt

/** Date and time in this machine's time zone, such as 2026-11-22 14:05. */
function localTime(iso: string): string {
  return iso && new Date(iso).toLocaleString('sv').slice(0, 16)
}

/** Pads a text with spaces, or cuts it off with `…`, to exactly this width in terminal columns. */
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
