import { create } from '@bufbuild/protobuf'
import { type Lead, LeadSchema } from '../gen/leadintake/v1/lead_pb.ts'
import { toRecord } from './columns.ts'

/** The start of a cell that spreadsheets treat as a formula, in normal or full-width characters. */
const formula = /^\s*[=+\-@\t\r＝＋－＠]/

/** The first line of the CSV (RFC 4180). */
export const csvHeader = toLine(Object.keys(toRecord(create(LeadSchema))))

/**
 * Formats a lead as one line. Cells contain no line breaks: a spreadsheet that expects semicolons would start a new row
 * there, which could be a formula.
 */
export function toCsvLine(lead: Lead): string {
  return toLine(Object.values(toRecord(lead)))
}

function toLine(cells: readonly string[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

/** An apostrophe turns a formula into text. Every cell is quoted, so that none ends early. */
function toCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}
