import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { stripVTControlCharacters, styleText } from 'node:util'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Lead } from '../../src/gen/leadintake/v1/lead_pb.ts'
import { csvHeader, showLead, toCsvLine, toJsonLine, toPlainLine, toTableRow } from '../../src/viewer/formats.ts'
import { erasedLead, nowMs, quoteLead } from './leads.ts'

/** A lead whose free-text fields all have this text. */
function saying(text: string): Lead {
  const lead = quoteLead('lead-1')
  if (lead.content.case === 'quoteRequest')
    Object.assign(lead.content.value, { name: text, service: text, notes: text })
  return lead
}

/** Parses one line of CSV as in RFC 4180. */
function parseLine(line: string): string[] {
  assert.match(line, /^("([^"\r\n]|"")*",?)+\r\n$/)
  return [...line.matchAll(/"((?:[^"]|"")*)"/g)].map(([, cell]) => (cell as string).replaceAll('""', '"'))
}

suite("a caller's text", () => {
  test('becomes one line that cannot control a terminal', () => {
    assert.equal(
      toPlainLine('a\u001b[31mb\u009b2Jc\u0007\u202Edef\u2066g\u061Ch\r\n\ti\u2028j'),
      'a\ufffd[31mb\ufffd2Jc\ufffd\ufffddef\ufffdg\ufffdh i j',
    )
    assert.equal(toPlainLine('李小龍 👩‍👧‍👦 é'), '李小龍 👩‍👧‍👦 é')
  })

  test('keeps its line breaks in JSON, where they are escaped', () => {
    assert.match(toJsonLine(saying('x\n\ty\u202E\u001b')), /"notes":"x\\n\\ty\ufffd\ufffd"/)
  })
})

suite('the CSV', () => {
  assert.ok(csvHeader.startsWith('\ufeff'))
  const columns = parseLine(csvHeader.slice(1))
  const cells = (lead: Lead) => {
    const values = parseLine(toCsvLine(lead))
    assert.equal(values.length, columns.length)
    return Object.fromEntries(columns.map((name, index) => [name, values[index]]))
  }

  test('turns what a spreadsheet would evaluate into text', () => {
    for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '＝1+1', '\t=1+1', '\r=1+1', ' =1+1']) {
      for (const name of ['name', 'service', 'notes']) assert.equal(cells(saying(text))[name], `'${text.trim()}`, text)
    }
  })

  test('keeps quotes, commas and line breaks inside one cell of one line', () => {
    assert.equal(cells(saying('say "hi", and\r\n=1+1')).notes, 'say "hi", and =1+1')
  })

  test('has every field of a lead and its changes', () => {
    const record = cells(quoteLead('lead-1', { stoppedAt: timestampFromMs(nowMs) }))
    assert.deepEqual(
      [record.id, record.receivedAt, record.kind, record.phone, record.stoppedAt, record.erasedAt],
      ['lead-1', '2026-11-22T14:05:00.000Z', 'quote', '2025550123', '2026-11-22T14:05:00.000Z', ''],
    )
    const erased = cells(erasedLead('lead-2'))
    assert.deepEqual([erased.erasedAt, erased.erasedReason, erased.name], ['2026-11-22T14:05:00.000Z', 'request', ''])
  })
})

suite('the table', () => {
  test('cannot be steered by its texts, and shows the whole id and request', () => {
    const id = '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a10'
    const lead = saying('李小龍 \u202E\u001b[2J "a name" that is longer than any column '.repeat(5))
    lead.id = id
    const row = toTableRow(lead)
    assert.equal(row, stripVTControlCharacters(row))
    const [, second, request = ''] = row.split('\n')
    assert.equal(second, `  ${id}`)
    assert.equal(request.split('any column').length, 11)
  })

  test('shows one lead in full', () => {
    const lead = saying('say\nmore \u001b[2J')
    const shown = showLead(lead)
    assert.match(shown, /^id +lead-1\n/)
    assert.match(shown, /\nquoteRequest\.notes +say\n +more \ufffd\[2J\n/)
  })

  test('marks leads that must not be contacted, and erased ones', () => {
    const colored = (color: 'red' | 'dim') => styleText(color, ' ', { validateStream: false }).split(' ')[0] as string
    process.env.FORCE_COLOR = '1'
    assert.match(
      toTableRow(quoteLead('a')),
      /^2026-11-22 .* quote +Pat Example +202-555-0123 +pat@example.com\n +a\n +Deep clean, 3 bed, 2 bath: Two cats\.\n/,
    )
    const stopped = toTableRow(quoteLead('b', { stoppedAt: timestampFromMs(nowMs) }))
    assert.match(stopped, /DO NOT CONTACT \(2026-11-22 /)
    assert.ok(stopped.startsWith(colored('red')))
    const asksAgain = toTableRow(quoteLead('d', { stoppedAt: timestampFromMs(nowMs - 60_000) }))
    assert.match(asksAgain, /stopped before this request \(2026-11-22 /)
    const erased = toTableRow(erasedLead('c'))
    assert.match(erased, /\(erased\)\n +c\n +erased on request/)
    assert.ok(erased.startsWith(colored('dim')))
  })
})
