import { consentColumns, type InboxRow, type InboxStore, toStoredLead } from '../inbox.ts'
import { createPostgresConnection, type PostgresConnection, type PostgresConnectionOptions } from './connection.ts'
import { locks } from './lock.ts'

/** Notified by each commit that stores leads. */
export const storedChannel = 'leads'

/** A time in the form of a receipt. */
function iso(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
}

/**
 * Leads with their consent records, in the order of `page`, which gives their positions. `OFFSET 0` keeps the planner to
 * one index look-up for each lead, whatever its statistics say: a page costs the same wherever it is.
 */
function selectLeads(page: string): string {
  return `
    SELECT l.position::float8 AS position, l.id, l.form_type, ${iso('l.received_at')} AS received_at, l.content,
      ${iso('l.erased_at')} AS erased_at, l.erased_reason, ${iso('c.received_at')} AS consent_received_at,
      ${consentColumns.map((column) => `c.${column}`).join(', ')}
    FROM (${page}) page
    CROSS JOIN LATERAL (SELECT * FROM leads WHERE leads.position = page.position OFFSET 0) l
    LEFT JOIN LATERAL (SELECT * FROM consent_records WHERE lead_id = l.id OFFSET 0) c ON true
    ORDER BY page.position`
}

/** The leads after a position, in order. Those that the filters leave out are skipped within the index. */
export const readLeads = selectLeads(`
      SELECT position FROM leads
      WHERE position > $1
        AND ($3::text IS NULL OR form_type = $3)
        AND ($4::timestamptz IS NULL OR received_at >= $4)
        AND ($5::timestamptz IS NULL OR received_at < $5)
      ORDER BY position LIMIT $2`)

const findLead = selectLeads(`SELECT position FROM leads WHERE id = $1`)

/** Erases the leads that `due` names, if they are not yet; $1 and $2 are the time and the reason. */
function erase(due: string): string {
  return `
    WITH ${due},
    erased AS (
      UPDATE leads SET content = NULL, erased_at = $1, erased_reason = $2
      FROM due WHERE leads.id = due.id AND erased_at IS NULL
      RETURNING leads.id
    ),
    origins AS (
      UPDATE consent_records SET client_address = NULL, user_agent = NULL, page_url = NULL
      FROM erased WHERE lead_id = erased.id
    ),
    claims AS (DELETE FROM recent_submissions USING erased WHERE lead_id = erased.id)`
}

const eraseOne = `${erase(`due AS (SELECT $3::uuid AS id)`)} SELECT count(*) FROM erased`

const findErasedAt = `SELECT ${iso('erased_at')} AS erased_at FROM leads WHERE id = $1`

/** Leads that someone is erasing already are left to them. */
const eraseDue = `
  ${erase(`
    lock AS MATERIALIZED (SELECT ${locks.tryRetention} AS held),
    due AS MATERIALIZED (
      SELECT leads.id FROM lock CROSS JOIN leads
      WHERE held AND received_at < $3 AND erased_at IS NULL
      ORDER BY received_at LIMIT $4 FOR UPDATE OF leads SKIP LOCKED
    )`)}
  SELECT held, (SELECT count(*) FROM erased)::int AS count FROM lock`

/** A page of the longest leads takes its time on a busy server, and no commit waits for it. */
const readMs = 5_000

/**
 * Reads on a connection of its own, made by `connection`; `keeper` is the one for what nobody waits for. Every rejection
 * is a `StoreError`.
 */
export function createPostgresInbox(
  connection: Pick<PostgresConnectionOptions, 'url' | 'ready'>,
  keeper: PostgresConnection,
): { inbox: InboxStore; close(): Promise<void> } {
  const listeners = new Set<() => void>()
  const onNotification = () => {
    for (const listener of listeners) listener()
  }
  const reader = createPostgresConnection({
    ...connection,
    statementMs: readMs,
    readsOnly: true,
    listening: { channel: storedChannel, onNotification },
  })

  return {
    inbox: {
      readAfter: async (position, limit, { kind = null, receivedAfter = null, receivedBefore = null } = {}) => {
        const values = [position, limit, kind, receivedAfter, receivedBefore]
        const { rows } = await reader.query<InboxRow>({ text: readLeads, values })
        return rows.map(toStoredLead)
      },
      find: async (id) => {
        const { rows } = await reader.query<InboxRow>({ text: findLead, values: [id] })
        return rows.map(toStoredLead)[0]
      },
      idAt: async (position) => {
        const text = 'SELECT id FROM leads WHERE position = $1'
        const { rows } = await reader.query<{ id: string }>({ text, values: [position] })
        return rows[0]?.id
      },
      onStored: (listener) => {
        listeners.add(listener)
        return () => void listeners.delete(listener)
      },
      erase: async (id, { at, reason }) => {
        await keeper.query({ text: eraseOne, values: [at, reason, id] })
        // Who has erased it first may have done so a moment ago, unseen by the statement above.
        const { rows } = await keeper.query<{ erased_at: string }>({ text: findErasedAt, values: [id] })
        return rows[0]?.erased_at
      },
      eraseReceivedBefore: async (receivedBefore, { at, reason }, limit) => {
        const values = [at, reason, receivedBefore, limit]
        const { rows } = await keeper.query<{ held: boolean; count: number }>({ text: eraseDue, values })
        return rows[0]?.held ? rows[0].count : undefined
      },
    },
    close: reader.close,
  }
}
