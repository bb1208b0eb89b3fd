import type { LeadFilter } from '../../lead/stored-lead.ts'
import type { EvidenceStore } from '../evidence.ts'
import { type FeedRow, type InboxStore, type LeadRow, toFeedPage, toScanPage, toStoredLead } from '../inbox.ts'
import { contactNeedle } from '../needle.ts'
import { createPostgresConnection, type PostgresConnection, type PostgresConnectionOptions } from './connection.ts'
import { createPostgresErasure } from './erasure.ts'
import { createPostgresEvidence } from './evidence.ts'
import { findPositionAt } from './position-at.ts'
import { headExpression, iso, storedChannel } from './sql.ts'
import { createPostgresStops } from './stops.ts'

const leadColumns = `l.position::float8 AS position, l.id, l.kind, ${iso('l.received_at')} AS received_at, l.personal,
  l.evidence, ${iso('erased.at')} AS erased_at, erased.reason AS erased_reason, erased.caller AS erased_by,
  ${iso('CASE WHEN erased.with_stop THEN erased.at ELSE stopped.at END')} AS stopped_at`

/** The changes of each lead `l`. `OFFSET 0` forces the planner to use one index lookup per lead. */
const withChanges = `
  LEFT JOIN LATERAL (
    SELECT at, reason, caller, with_stop FROM changes WHERE l.personal IS NULL AND lead_id = l.id AND what = 'erased' OFFSET 0
  ) erased ON true
  LEFT JOIN LATERAL (
    SELECT at FROM changes WHERE lead_id = l.id AND what = 'stopped' ORDER BY at DESC LIMIT 1
  ) stopped ON true`

/** The filter condition on leads. A null parameter disables its part of the filter. */
function passes(firstParameter: number): string {
  const [kind, after, before] = [0, 1, 2].map((index) => `$${firstParameter + index}`)
  return `(${kind}::text IS NULL OR kind = ${kind}) AND (${after}::timestamptz IS NULL OR received_at >= ${after})
    AND (${before}::timestamptz IS NULL OR received_at < ${before})`
}

function filterValues({ kind, receivedAfter, receivedBefore }: LeadFilter = {}): (string | null)[] {
  return [kind ?? null, receivedAfter ?? null, receivedBefore ?? null]
}

/** The leads after a position, in order. */
export const readLeads = `
  SELECT ${leadColumns}
  FROM (SELECT * FROM leads WHERE position > $1 AND ${passes(3)} ORDER BY position LIMIT $2) l ${withChanges}
  ORDER BY l.position`

const findLead = `SELECT ${leadColumns} FROM (SELECT * FROM leads WHERE id = $1) l ${withChanges}`

/**
 * The feed after a position, limited by rows and by bytes, and the feed's head from the same snapshot. An empty page is
 * one row whose `feed_position` is null.
 */
export const readFeed = `
  WITH page AS (
    (
      SELECT position AS feed_position, id AS entry_id, received_at AS entry_at, 'received' AS what, leads.* FROM leads
      WHERE position > $1 AND ($4::text IS NULL OR kind = $4) ORDER BY position LIMIT $2
    ) UNION ALL (
      SELECT changes.position, changes.id, changes.at, changes.what, changed.* FROM changes
      CROSS JOIN LATERAL (SELECT * FROM leads WHERE id = changes.lead_id OFFSET 0) changed
      WHERE changes.position > $1 AND ($4::text IS NULL OR changes.kind = $4) ORDER BY changes.position LIMIT $2
    )
    ORDER BY feed_position LIMIT $2
  ),
  sized AS (
    SELECT *, coalesce(octet_length(personal), 0) + octet_length(evidence) AS size FROM page
  ),
  l AS (
    SELECT *, sum(size) OVER (ORDER BY feed_position) - size AS size_before FROM sized
  )
  SELECT head, l.feed_position::float8 AS feed_position, l.entry_id, ${iso('l.entry_at')} AS entry_at, l.what,
    ${leadColumns}
  FROM (SELECT ${headExpression} AS head) head
  LEFT JOIN l ON l.size_before < $3 ${withChanges}
  ORDER BY l.feed_position`

/** One row per lead of the contact. Without a match: one row that only says how far the scan went. */
const scanLeads = `
  WITH scanned AS MATERIALIZED (
    SELECT position, coalesce(strpos(lower(personal), lower($3)) > 0, false) AND ${passes(4)} AS matches
    FROM leads WHERE position > $1 ORDER BY position LIMIT $2
  )
  SELECT scan.last, scan.count, ${leadColumns}
  FROM (SELECT max(position)::float8 AS last, count(*)::int AS count FROM scanned) scan
  LEFT JOIN scanned ON matches
  LEFT JOIN LATERAL (SELECT * FROM leads WHERE leads.position = scanned.position OFFSET 0) l ON true ${withChanges}
  ORDER BY l.position`

const findId = `
  SELECT id FROM leads WHERE position = $1 UNION ALL SELECT id FROM changes WHERE position = $1 LIMIT 1`

/**
 * The statement timeout in milliseconds. A page of the longest leads takes a while on a busy server; no commit waits
 * for it.
 */
const readMs = 5_000

/**
 * Reads on separate connections with the options `connection`. `keeper` is the connection for background maintenance.
 * Every rejection is a `StoreError`.
 */
export function createPostgresInbox(
  connection: Pick<PostgresConnectionOptions, 'url' | 'ready'>,
  keeper: PostgresConnection,
): { inbox: InboxStore; evidence: EvidenceStore; close(): Promise<void> } {
  const listeners = new Set<() => void>()
  const onNotification = () => {
    for (const listener of listeners) listener()
  }
  const reconnected = new Set<() => void>()
  const reader = createPostgresConnection({
    ...connection,
    statementMs: readMs,
    readsOnly: true,
    listening: { channel: storedChannel, onNotification },
    onConnected() {
      for (const listener of reconnected) listener()
    },
  })

  return {
    inbox: {
      readAfter: async (position, limit, filter) => {
        const values = [position, limit, ...filterValues(filter)]
        const { rows } = await reader.query<LeadRow>({ text: readLeads, values })
        return rows.map(toStoredLead)
      },
      readChanges: async (position, bounds, { kind = null } = {}) => {
        const values = [position, bounds.rows, bounds.bytes, kind]
        const { rows } = await reader.query<FeedRow & { head: number }>({ text: readFeed, values })
        const entries = rows.filter(({ feed_position }) => feed_position !== null)
        return toFeedPage(entries, position, rows[0]?.head ?? 0, bounds)
      },
      scanContact: async (position, limit, contact, filter) => {
        const values = [position, limit, contactNeedle(contact), ...filterValues(filter)]
        const { rows } = await reader.query<LeadRow & { last: number | null; count: number }>({
          text: scanLeads,
          values,
        })
        const found = rows.filter(({ id }) => id !== null)
        return toScanPage(found, position, rows[0]?.last ?? null, rows[0]?.count ?? 0, limit)
      },
      find: async (id) => {
        const { rows } = await reader.query<LeadRow>({ text: findLead, values: [id] })
        return rows.map(toStoredLead)[0]
      },
      idAt: async (position) => {
        const { rows } = await reader.query<{ id: string }>({ text: findId, values: [position] })
        return rows[0]?.id
      },
      head: async () => {
        const { rows } = await reader.query<{ head: number }>({ text: `SELECT ${headExpression} AS head` })
        return rows[0]?.head ?? 0
      },
      positionAt: (time) => findPositionAt(reader, time),
      onStored: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      onReconnected: (listener) => {
        reconnected.add(listener)
        return () => void reconnected.delete(listener)
      },
      ...createPostgresErasure(keeper),
      ...createPostgresStops(keeper, reader),
    },
    evidence: createPostgresEvidence(keeper, reader),
    close: reader.close,
  }
}
