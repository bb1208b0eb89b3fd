import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { timestampDate, timestampFromMs } from '@bufbuild/protobuf/wkt'
import { Code, ConnectError, createClient, createRouterTransport, type ServiceImpl } from '@connectrpc/connect'
import { LeadInboxService } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { explainFailure, followLeads, listLeads } from '../../src/viewer/client.ts'
import { parseOptions, UsageError } from '../../src/viewer/options.ts'
import { erasedLead, nowMs, quoteLead } from './leads.ts'

const inboxOf = (service: Partial<ServiceImpl<typeof LeadInboxService>>) =>
  createClient(
    LeadInboxService,
    createRouterTransport((router) => void router.service(LeadInboxService, service)),
  )

/** An inbox with leads of these ages in minutes, in pages of two, which records its calls. */
function inboxWith(ages: readonly number[]) {
  const asked: number[] = []
  const inbox = inboxOf({
    listLeads({ pageToken, receivedAfter }) {
      const afterMs = receivedAfter ? timestampDate(receivedAfter).getTime() : 0
      if (pageToken === '') asked.push(Math.round((nowMs - afterMs) / 60_000))
      const leads = ages
        .map((age) => quoteLead(`${age}`, {}, age))
        .filter((_, i) => nowMs - (ages[i] ?? 0) * 60_000 >= afterMs)
      const from = Number(pageToken)
      return {
        leads: leads.slice(from, from + 2),
        nextPageToken: leads.length > from + 2 ? `${from + 2}` : '',
        cursor: `head-${pageToken || 'first'}`,
      }
    },
  })
  return { inbox, asked }
}

/** The listed ids, and the final cursor. */
async function list(ages: readonly number[], query: { since?: Date; limit?: number }) {
  const { inbox, asked } = inboxWith(ages)
  const leads = listLeads(inbox, { since: query.since, limit: query.limit ?? Infinity, contact: '' }, nowMs)
  const ids: string[] = []
  for (;;) {
    const { value, done } = await leads.next()
    if (done) return { ids, cursor: value, asked }
    ids.push(value.id)
  }
}

suite('the newest leads', () => {
  test('are searched in the last hour first, and further back only if needed', async () => {
    const ages = [100_000, 3_000, 2_000, 90, 30, 5, 2]
    assert.deepEqual(await list(ages, { limit: 3 }), { ids: ['30', '5', '2'], cursor: 'head-first', asked: [60] })
    const more = await list(ages, { limit: 5 })
    assert.deepEqual(more.ids, ['2000', '90', '30', '5', '2'])
    assert.deepEqual(more.asked, [60, 1_440, 43_200])
    assert.deepEqual((await list(ages, { limit: 50 })).ids.length, 7)
  })

  test('are never older than --since', async () => {
    const since = new Date(nowMs - 80 * 60_000)
    const { ids, asked } = await list([3_000, 90, 30, 5], { limit: 50, since })
    assert.deepEqual(
      [ids, asked],
      [
        ['30', '5'],
        [60, 80],
      ],
    )
    assert.deepEqual((await list([3_000, 90, 30, 5], { since })).ids, ['30', '5'])
  })
})

suite('following', () => {
  /** Follows until this many changes have arrived. */
  async function follow(watch: ServiceImpl<typeof LeadInboxService>['watchLeads'], count: number, silenceMs?: number) {
    const inbox = inboxOf({ watchLeads: watch })
    const interruptions: string[] = []
    const seen: string[] = []
    const interrupted = (error: ConnectError) => interruptions.push(Code[error.code] as string)
    for await (const { id, erased } of followLeads(inbox, { cursor: 'c0', interrupted, silenceMs })) {
      seen.push(erased ? `${id} erased` : id)
      if (seen.length === count) return { seen, interruptions }
    }
    assert.fail('it never ends by itself')
  }

  test('shows each change after the list, and continues from its cursor after a restart', async () => {
    const cursors: string[] = []
    const result = await follow(async function* ({ cursor }) {
      cursors.push(cursor)
      if (cursors.length === 1) {
        yield { lead: erasedLead('listed'), cursor: 'c2' }
        yield { cursor: 'c3', caughtUp: true }
        throw new ConnectError('stopping', Code.Unavailable)
      }
      yield { lead: quoteLead('new', { stoppedAt: timestampFromMs(nowMs) }), cursor: 'c4' }
    }, 2)
    assert.deepEqual(result, { seen: ['listed erased', 'new'], interruptions: ['Unavailable'] })
    assert.deepEqual(cursors, ['c0', 'c3'])
  })

  test('abandons a stream without messages, not even "caught up"', async () => {
    let calls = 0
    const result = await follow(
      async function* (_request, { signal }) {
        if (++calls === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve))
        yield { lead: quoteLead('new'), cursor: 'c1' }
      },
      1,
      20,
    )
    assert.deepEqual(result, { seen: ['new'], interruptions: ['Canceled'] })
  })

  test('ends with an error that retrying cannot fix', async () => {
    const refusal = follow(async function* () {
      yield* []
      throw new ConnectError('no', Code.PermissionDenied)
    }, 1)
    await assert.rejects(refusal, { code: Code.PermissionDenied })
  })
})

suite('the command line', () => {
  test('shows twenty leads in a table, all since a time, and all in a file', () => {
    assert.equal(parseOptions([], nowMs)?.limit, 20)
    assert.equal(parseOptions(['--csv'], nowMs)?.limit, Infinity)
    assert.equal(parseOptions(['--since', '2h'], nowMs)?.limit, Infinity)
    assert.equal(parseOptions(['-n', '5', '--json', '-f'], nowMs)?.limit, 5)
    assert.equal(parseOptions(['--help'], nowMs), undefined)
  })

  test('accepts an age, a local day, and a date-time', () => {
    const since = (text: string) => parseOptions(['--since', text], nowMs)?.since?.getTime()
    assert.equal(since('90m'), nowMs - 90 * 60_000)
    assert.equal(since('7d'), nowMs - 7 * 86_400_000)
    assert.equal(since('2026-11-22T14:00:00Z'), Date.parse('2026-11-22T14:00:00Z'))
    assert.equal(since('2026-11-22'), new Date(2026, 10, 22).getTime())
  })

  test('refuses what it does not know', () => {
    const id = '0199e2f2-7c1e-7b6a-9d7e-3c1f0e6f5a10'
    for (const line of ['--since x', '--since 2026-13-01', '-n 0', '--csv --json', '--cert a', '--so', 'x', `${id} -f`])
      assert.throws(() => parseOptions(line.split(' '), nowMs), UsageError, line)
  })
})

test('explains a failed call in one line without control characters', () => {
  const error = new ConnectError('no\u001b[2J\nway', Code.Internal)
  assert.equal(
    explainFailure(error, 'http://127.0.0.1:9090'),
    'The inbox at http://127.0.0.1:9090 cannot be read: Internal, no\ufffd[2J way',
  )
})
