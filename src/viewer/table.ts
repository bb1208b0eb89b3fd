import type { styleText } from 'node:util'
import { toJson } from '@bufbuild/protobuf'
import stringWidth from 'string-width'
import { type Lead, LeadSchema } from '../gen/leadintake/v1/lead_pb.ts'
import { cleanJson, type LeadRecord, toRecord } from './record.ts'

/** Colors a text, or returns it unchanged. */
export type Paint = (format: Parameters<typeof styleText>[0], text: string) => string

const gap = '  '
/** From this width on, a lead takes one line. Below it, its id and its request have their own lines. */
const wideEnough = 140
const fixed = { received: 16, kind: 7, phone: 12, id: 36 }
const graphemes = new Intl.Segmenter()

/** Formats leads for a width in columns. The layout does not depend on the leads, so rows can be added later. */
export function createTable(width: number, paint: Paint): { header: string; row(lead: Lead): string } {
  const isWide = width >= wideEnough
  const used = fixed.received + fixed.kind + fixed.phone + (isWide ? fixed.id + 6 * gap.length : 4 * gap.length)
  const left = Math.max(width - used, 20)
  const name = Math.floor(left * (isWide ? 0.2 : 0.4))
  const email = isWide ? Math.floor(left * 0.3) : left - name
  const widths = [fixed.received, fixed.kind, name, fixed.phone, email, fixed.id]
  const line = (cells: readonly string[]) => cells.map((cell, index) => fit(cell, widths[index] as number)).join(gap)
  const head = line(['RECEIVED', 'KIND', 'NAME', 'PHONE', 'E-MAIL', ...(isWide ? ['ID'] : [])])
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
        ...(isWide ? [record.id] : []),
      ])
      const request = describeRequest(record)
      const text = isWide
        ? `${cells}${gap}${fit(request, left - name - email).trimEnd()}`
        : [cells.trimEnd(), record.id, ...wrap(request, width - gap.length)].join(`\n${gap}`)
      return `${record.erasedAt ? paint('dim', text) : isStopped(record) ? paint('red', text) : text}\n`
    },
  }
}

/** Everything about one lead, one member a line. */
export function showLead(lead: Lead): string {
  const lines = flatten('', cleanJson(toJson(LeadSchema, lead)))
  const width = Math.max(...lines.map(([name]) => name.length))
  const indent = `\n${' '.repeat(width + gap.length)}`
  return lines.map(([name, value]) => `${name.padEnd(width)}${gap}${value.split('\n').join(indent)}\n`).join('')
}

function flatten(path: string, value: unknown): [name: string, value: string][] {
  if (typeof value !== 'object' || value === null) return [[path, String(value)]]
  return Object.entries(value).flatMap(([name, member]) => flatten(path === '' ? name : `${path}.${name}`, member))
}

/** What the customer wants, after anything that must be known before calling. */
function describeRequest(record: LeadRecord): string {
  if (record.erasedAt) return `erased ${record.erasedReason === 'retention' ? 'by age' : 'on request'}`
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
  const kept = beginningOf(text, width - 1)
  return `${kept}…${' '.repeat(width - 1 - stringWidth(kept))}`
}

/** As much of a text as has at most this width. */
function beginningOf(text: string, width: number): string {
  let kept = ''
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    used += stringWidth(segment)
    if (used > width) break
    kept += segment
  }
  return kept
}

/** Breaks a text into lines of at most this width, between words where it can. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let rest = text
  while (stringWidth(rest) > width) {
    const most = beginningOf(rest, width)
    const space = rest[most.length] === ' ' ? most.length : most.lastIndexOf(' ')
    const end = space > 0 ? space : most.length
    lines.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  return [...lines, rest]
}
