// What test/e2e/leads.test.ts cannot provoke with a real service: odd texts and old leads.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { timestampDate, timestampFromMs } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, createClient, createRouterTransport, type ServiceImpl } from '@connectrpc/connect'
import { explainFailure, listLeads } from '../../src/commands/inbox.ts'
import { csvHeader, showLead, toCsvLine, toJsonLine, toTableRow } from '../../src/commands/leads/formats.ts'
import { parseOptions } from '../../src/commands/leads/options.ts'
import { LeadInboxService } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { type Lead, LeadKind } from '../../src/gen/leadintake/v1/lead_pb.ts'
import { erasedLead, nowMs, quoteLead } from './leads.ts'

/** A lead whose free texts are all this text. */
function saying(text: string): Lead {
  const lead = quoteLead('lead-1')
  Object.assign(lead.content.value ?? {}, { name: text, service: text, notes: text })
  return lead
}
const optedOutLead = (id: string, ms = nowMs, change = {}) =>
  quoteLead(id, { optedOutAt: timestampFromMs(ms), ...change })
/** A message after an opt-out, which may ask for no contact once more. */
const revocation = optedOutLead('e', nowMs - 1, { kind: LeadKind.SUPPORT, possibleOptOut: true })
const checkFirst = 'DO NOT CONTACT: wait until they call or write. They opted out before this request, check by hand'
const readToday = 'READ TODAY: this may be an opt-out'
const answerOnly = `DO NOT CONTACT, except to answer this message, by e-mail. ${readToday}, sent after the one recorded`

test('the newest leads are those of a day, then of ten times as long until there are enough; none is older than --since', async () => {
  const longer = Array.from({ length: 6 }, (_, times) => 1_440 * 10 ** times).filter((age) => age * 60_000 < nowMs)
  const ages = [100_000, 3_000, 2_000, 90, 30, 5, 2]
  for (const [limit, sinceMinutes, expected, searches] of [
    [3, undefined, [30, 5, 2], [1_440]],
    [5, undefined, ages.slice(2), [1_440, 14_400]],
    [50, undefined, ages, [...longer, undefined]],
    [50, 80, [30, 5, 2], [80]],
    [Infinity, 80, [30, 5, 2], [80]],
  ] as const) {
    const asked: (number | undefined)[] = []
    /** An inbox with leads of these ages in minutes, in pages of two. */
    const service: Partial<ServiceImpl<typeof LeadInboxService>> = {
      listLeads({ pageToken, receivedAfter }) {
        const afterMs = receivedAfter ? timestampDate(receivedAfter).getTime() : 0
        if (pageToken === '') asked.push(receivedAfter && (nowMs - afterMs) / 60_000)
        const leads = ages.filter((age) => nowMs - age * 60_000 >= afterMs).map((age) => quoteLead(`${age}`, {}, age))
        const from = Number(pageToken)
        return { leads: leads.slice(from, from + 2), nextPageToken: leads.length > from + 2 ? `${from + 2}` : '' }
      },
    }
    const transport = createRouterTransport((router) => void router.service(LeadInboxService, service))
    const inbox = createClient(LeadInboxService, transport)
    const since = sinceMinutes && new Date(nowMs - sinceMinutes * 60_000)
    const leads = await Array.fromAsync(listLeads(inbox, { since, limit, contact: '' }, nowMs))
    assert.deepEqual([leads.map(({ id }) => Number(id)), asked], [expected, searches])
  }
})

test('the command line: how many leads, since when, and what it refuses', (t) => {
  const { TZ } = process.env
  t.after(() => Object.assign(process.env, { TZ: TZ ?? '' }))
  process.env.TZ = 'America/Chicago'
  const parse = (line: string) => parseOptions(line.split(' ').filter(Boolean), nowMs)
  for (const [line, limit, since] of [
    ['', 20, undefined],
    ['--csv', Infinity, undefined],
    ['--contact pat@example.com', Infinity, undefined],
    ['-n 5 --json', 5, undefined],
    ['--since 90m', Infinity, nowMs - 90 * 60_000],
    ['--since 2w', Infinity, nowMs - 14 * 86_400_000],
    ['--since 2026-11-22T14:00:00Z', Infinity, Date.parse('2026-11-22T14:00:00Z')],
    ['--since 2026-11-22', Infinity, Date.parse('2026-11-22T06:00:00Z')],
  ] as const)
    assert.deepEqual([parse(line).limit, parse(line).since?.getTime()], [limit, since], line)
  for (const line of ['--since x', '--since 2026-13-01', '-n 0', '--so', 'an id', 'Smith'])
    assert.throws(() => parse(line), line)
})

suite("a caller's text", () => {
  const odd = 'a\u001b[31mb\u009b2Jc\u0007\u202Edef\u2066g\u061Ch\r\n\ti\u2028j 李小龍 👩‍👧‍👦 é'
  const line = 'a\ufffd[31mb\ufffd2Jc\ufffd\ufffddef\ufffdg\ufffdh i j 李小龍 👩‍👧‍👦 é'

  test('cannot control a terminal, and is shown whole, with the id', () => {
    const row = toTableRow(saying(`${odd} `.repeat(5)))
    assert.equal(row, stripVTControlCharacters(row))
    const [, id, request = ''] = row.split('\n')
    assert.equal(id, '  lead-1')
    assert.equal(request.split(line).length, 11)
    const failure = explainFailure(new ConnectError('no\u001b[2J\nway', Code.Internal), 'http://[::1]:9090')
    assert.equal(failure, 'The inbox at http://[::1]:9090 cannot be read: Internal, no\ufffd[2J way')
  })

  test('keeps its line breaks where they are harmless: in JSON and in one lead in full', () => {
    assert.match(toJsonLine(saying('x\n\ty\u202E\u001b')), /"notes":"x\\n\\ty\ufffd\ufffd"/)
    const shown = showLead(saying('say\nmore \u001b[2J'))
    assert.match(shown, /^id +lead-1\n[\s\S]*\nquoteRequest\.notes +say\n +more \ufffd\[2J\n/)
  })

  test('is one cell of a spreadsheet, and never a formula', () => {
    for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '＝1+1', '\t=1+1', '\r=1+1', ' =1+1'])
      assert.equal(cellsOf(saying(text)).notes, `'${text.trim()}`, text)
    assert.equal(cellsOf(saying('say "hi", and\r\n=1+1')).notes, 'say "hi", and =1+1')
    // Some spreadsheets begin a cell at each semicolon, whatever is quoted.
    assert.equal(cellsOf(saying('a;=1; "@A1;b; 3')).notes, `a;'=1;' "@A1;b; 3`)
  })
})

/** The cells of a lead in the CSV (RFC 4180), by column. */
function cellsOf(lead: Lead) {
  assert(csvHeader.startsWith('\ufeff'))
  const [columns = [], cells = []] = [csvHeader.slice(1), toCsvLine(lead)].map((line) => {
    assert.match(line, /^("([^"\r\n]|"")*",?)+\r\n$/)
    return Array.from(line.matchAll(/"((?:[^"]|"")*)"/g), ([, cell = '']) => cell.replaceAll('""', '"'))
  })
  assert.equal(cells.length, columns.length)
  return Object.fromEntries(columns.map((name, index) => [name, cells[index]]))
}

test('the CSV has every field of a lead and its changes, a later one in a later column', () => {
  const columns =
    'id receivedAt kind name phone email bedrooms bathrooms service notes helpWith message communicationsConsent consentTimestamp pageUrl optedOutAt optOut possibleOptOut erasedAt erasedReason'
  assert(csvHeader.startsWith(`\ufeff"${columns.replaceAll(' ', '","')}"`))
  const time = '2026-11-22T14:05:00.000Z'
  const cells = { id: 'lead-1', receivedAt: time, kind: 'quote', phone: '2025550123', optedOutAt: time, erasedAt: '' }
  assert.partialDeepStrictEqual(cellsOf(optedOutLead('lead-1')), cells)
  const ofSome = optedOutLead('d', nowMs, { optedOutChannels: [1, 2] })
  const optOuts = [ofSome, optedOutLead('a'), optedOutLead('b', nowMs - 1), revocation, quoteLead('c')]
  const told = optOuts.map((lead) => cellsOf(lead).optOut)
  assert.deepEqual(told, ['DO NOT CALL OR TEXT', 'DO NOT CONTACT', checkFirst, answerOnly, ''])
  assert.match(showLead(revocation), new RegExp(`^opt-out +${answerOnly}\nid +e\n`))
  const erased = cellsOf(erasedLead('lead-2'))
  assert.deepEqual([erased.erasedAt, erased.erasedReason, erased.name], [time, 'request', ''])
})
