import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import type { Lead } from '../gen/leadintake/v1/lead_pb.ts'
import type { Inbox } from './inbox.ts'
import type { ViewerOptions } from './options.ts'

const hourMs = 3_600_000
/**
 * Time windows to search, one after the other. The inbox lists the oldest leads first, but the viewer wants the newest.
 */
const windowsMs = [hourMs, 24 * hourMs, 30 * 24 * hourMs, 365 * 24 * hourMs, Infinity]

type Query = Pick<ViewerOptions, 'since' | 'limit'>

/** Yields the requested leads, the newest last. Returns the cursor for following changes. */
export async function* listLeads(inbox: Inbox, { since, limit }: Query, nowMs: number): AsyncGenerator<Lead, string> {
  if (limit === Infinity) return yield* pages(inbox, since)
  for (const windowMs of windowsMs) {
    const begin = new Date(windowMs === Infinity ? 0 : nowMs - windowMs)
    const from = since && since > begin ? since : begin
    const { newest, cursor } = await readNewest(inbox, from, limit)
    if (newest.length < limit && from === begin && windowMs < Infinity) continue
    yield* newest
    return cursor
  }
  throw new Error('the last window has no bound')
}

/** The last leads since a time. Keeps at most `limit` leads and one page in memory. */
async function readNewest(inbox: Inbox, from: Date, limit: number): Promise<{ newest: Lead[]; cursor: string }> {
  const newest: Lead[] = []
  const leads = pages(inbox, from)
  for (;;) {
    const { value, done } = await leads.next()
    if (done) return { newest: newest.slice(-limit), cursor: value }
    newest.push(value)
    if (newest.length >= limit + 500) newest.splice(0, newest.length - limit)
  }
}

async function* pages(inbox: Inbox, since: Date | undefined): AsyncGenerator<Lead, string> {
  const receivedAfter = since && timestampFromDate(since)
  let cursor: string | undefined
  let pageToken = ''
  do {
    const page = await inbox.listLeads({ pageSize: 500, pageToken, receivedAfter })
    cursor ??= page.cursor
    yield* page.leads
    pageToken = page.nextPageToken
  } while (pageToken !== '')
  return cursor
}
