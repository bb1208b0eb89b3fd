import { create } from '@bufbuild/protobuf'
import { type Lead, LeadSchema } from '../gen/leadintake/v1/lead_pb.ts'
import { toRecord } from './columns.ts'

/** What makes a spreadsheet take a cell for a formula, as full-width characters too. */
const formula = /^\s*[=+\-@\t\r＝＋－＠]/

/** The first line of the CSV (RFC 4180). */
export const csvHeader = toLine(Object.keys(toRecord(create(LeadSchema))))

/**
 * One lead as one line. No cell has a line break: a spreadsheet that expects semicolons would begin a new row there, and
 * that row could be a formula.
 */
export function toCsvLine(lead: Lead): string {
  return toLine(Object.values(toRecord(lead)))
}

function toLine(cells: readonly string[]): string {
  return `${cells.map(toCell).join(',')}\r\n`
}

/** An apostrophe makes a text of a formula. Every cell is quoted, so that none ends early. */
function toCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}
