// Every query, in SQL that both databases understand. Only lists differ: `sqlite/sqlite-worker.ts` rewrites the two
// forms of `= ANY`, and adds `nextval` and `gen_random_uuid`. PostgreSQL derives a parameter's type from its first use.

import type { PublishedText } from '../consent/wording.ts'
import type { Contact, LeadFilter } from '../inbox/stored-lead.ts'
import type { Statement, Value } from './database.ts'

/** The last position of the feed. Every earlier position is either visible or will never be used. */
export const headPosition = `coalesce((SELECT max(position) FROM (
  SELECT max(position) AS position FROM leads UNION ALL SELECT max(position) FROM changes) ends), 0)`

export const readHead = `SELECT ${headPosition} AS head`

const erasedAs = (column: string) => `CASE WHEN l.personal IS NULL THEN
  (SELECT ${column} FROM changes WHERE lead_id = l.id AND what = 'erased') END`

/**
 * When the opt-out that the lead `l` shows was recorded: the first one after the lead was received, else the last one
 * before, or for an erased lead, the one that it showed. So a repeated opt-out only changes leads submitted in between.
 */
const optedOutAt = `coalesce(
    (SELECT min(recorded_at) FROM opt_outs WHERE contact IN (l.phone, l.email) AND recorded_at >= l.received_at),
    (SELECT max(recorded_at) FROM opt_outs WHERE contact IN (l.phone, l.email)),
    (SELECT max(opted_out_at) FROM changes WHERE lead_id = l.id))`

/** The channels of all the person's opt-outs, separated by commas, with repeats: `all` since the lead, `all before`. */
const optedOutOf = `(SELECT string_agg(CASE WHEN channels <> '' THEN channels
    WHEN recorded_at >= l.received_at THEN 'all' ELSE 'all before' END, ',') FROM opt_outs
    WHERE contact IN (l.phone, l.email))`

/** A lead `l` with its erasure and its opt-out. With joins, PostgreSQL would read all changes or all leads. */
const leadColumns = `l.position, l.id, l.kind, l.received_at AS "receivedAt", l.personal, l.evidence,
  ${erasedAs('at')} AS "erasedAt", ${erasedAs('reason')} AS "erasedReason", ${erasedAs('caller')} AS "erasedBy",
  ${optedOutAt} AS "optedOutAt", ${optedOutOf} AS "optedOutOf"`

export const findLead = `SELECT ${leadColumns} FROM leads l WHERE l.id = $1`

/**
 * The feed after $1: at most $2 entries, and none after $3 bytes; with `ofKind`, of the kind $4. The feed's head is
 * from the same snapshot. An empty page is one row whose `feedPosition` is null.
 */
export function readFeed(ofKind: boolean): string {
  const after = `position > $1 ${ofKind ? 'AND kind = $4' : ''} ORDER BY position LIMIT $2`
  return `
  WITH page AS (
    SELECT * FROM (
      SELECT position, id, received_at AS at, 'received' AS what, id AS lead_id FROM leads WHERE ${after}
    ) received UNION ALL SELECT * FROM (
      SELECT position, id, at, what, lead_id FROM changes WHERE ${after}
    ) changed
    ORDER BY position LIMIT $2
  ),
  sized AS (
    SELECT page.position AS feed_position, page.id AS entry_id, page.at AS entry_at, page.what, leads.*,
      coalesce(octet_length(personal), 0) + octet_length(evidence) AS size
    FROM page CROSS JOIN leads WHERE leads.id = page.lead_id
  ),
  l AS (
    SELECT *, sum(size) OVER (ORDER BY feed_position) - size AS size_before FROM sized
  )
  SELECT head.head, l.feed_position AS "feedPosition", l.entry_id AS "entryId", l.entry_at AS "entryAt", l.what, ${leadColumns}
  FROM (${readHead}) head LEFT JOIN l ON l.size_before < $3
  ORDER BY l.feed_position`
}

export const findId = 'SELECT id FROM leads WHERE position = $1 UNION ALL SELECT id FROM changes WHERE position = $1'

/**
 * A binary search (decision 0005) from $1 on for the first position after which all leads are late. Each step halves
 * `width`, by which `low` may still move, and looks at ten leads, so that one wrong time does not mislead it.
 */
const searchPosition = (isLate: string) => `(
  WITH RECURSIVE search (low, width) AS (
    SELECT CAST($1 AS bigint), CAST(${2 ** 40} AS bigint) UNION ALL
    SELECT CASE WHEN coalesce((
      SELECT ${isLate} FROM (
        SELECT received_at FROM leads WHERE position >= low + width ORDER BY position LIMIT 10
      ) next
    ), true) THEN low ELSE low + width END, width / 2 FROM search WHERE width > 0
  )
  SELECT max(low) FROM search)`

/** How far times may be out of order, in milliseconds: several clocks stamp leads before they get positions. */
const disorderMs = 600_000

/** Adds to a time, within the range that both databases understand. */
const shift = (time: string, ms: number) =>
  new Date(Math.min(Math.max(Date.parse(time) + ms, 0), Date.parse('9999-12-31T23:59:59.999Z'))).toISOString()

/** The first `limit` leads after a position that pass a filter. Reads only leads around its times. */
export function readLeads(after: number, limit: number, filter: LeadFilter): Statement {
  const { kind, receivedAfter, receivedBefore, contact } = filter
  const values: Value[] = [after, limit]
  const bind = (value: Value) => `$${values.push(value)}`
  const conditions = ['position > $1']
  if (kind) conditions.push(`kind = ${bind(kind)}`)
  if (receivedAfter) {
    const first = searchPosition(`max(received_at) >= ${bind(shift(receivedAfter, -disorderMs))}`)
    conditions[0] = `position > ${first}`
    conditions.push(`received_at >= ${bind(receivedAfter)}`)
  }
  if (receivedBefore) {
    const last = searchPosition(`min(received_at) >= ${bind(shift(receivedBefore, disorderMs))}`)
    conditions.push(`position <= ${last}`, `received_at < ${bind(receivedBefore)}`)
  }
  if (contact) conditions.push(`${contact.field} = ${bind(contact.value)}`)
  const text = `
  SELECT ${leadColumns} FROM (
    SELECT * FROM leads WHERE ${conditions.join(' AND ')} ORDER BY position LIMIT $2
  ) l ORDER BY l.position`
  return { text, values }
}

/** A position before all entries stamped at `time` or later. */
export function findBefore(time: string): Statement {
  const text = `SELECT ${searchPosition('max(received_at) >= $2')} AS position`
  return { text, values: [0, shift(time, -disorderMs)] }
}

export const readAges = `
  SELECT position, id, received_at AS "receivedAt", CASE WHEN personal IS NULL THEN 1 ELSE 0 END AS erased FROM leads
  WHERE position > $1 ORDER BY position LIMIT $2`

const columnsOfChange = '(position, id, lead_id, kind, what, at, reason, caller, opted_out_at)'

/** Adds erasures of the leads $1 at $2 to the feed, with reason $3 and caller $4. They keep the opt-out that they show. */
export const addErasures = `
  INSERT INTO changes ${columnsOfChange}
  SELECT nextval('feed_position'), gen_random_uuid(), id, kind, 'erased', $2, $3, $4, shown FROM (
    SELECT id, kind, ${optedOutAt} AS shown FROM leads l WHERE id = ANY ($1) AND personal IS NOT NULL ORDER BY position
  ) due`

/**
 * Adds an opt-out of the person $1 at $2 by $3 to the feed, for each lead whose shown time it changes: the lead shows
 * neither an opt-out recorded after it was received, nor one from $2 or later. One of other channels (the reason $4) is
 * also added, unless one of all was. PostgreSQL has no statistics of contacts, and expects too many leads of a person:
 * it would read all changes with `NOT EXISTS`, and all claims with `IN`.
 */
export const addOptOuts = (field: Contact['field']) => `
  INSERT INTO changes ${columnsOfChange}
  SELECT nextval('feed_position'), gen_random_uuid(), id, kind, 'opted_out', $2, $4, $3, shown FROM (
    SELECT id, kind, ${optedOutAt} AS shown FROM leads l WHERE ${field} = $1 AND 0 = (
      SELECT count(*) FROM changes WHERE lead_id = l.id AND (opted_out_at >= l.received_at OR opted_out_at >= $2)
        AND (what = 'erased' OR reason IN ('all channels', $4))
    ) ORDER BY position
  ) own`

export const erasePersonal = `
  UPDATE leads SET personal = NULL, phone = NULL, email = NULL WHERE id = ANY ($1) AND personal IS NOT NULL RETURNING id`
export const forgetClaims = 'DELETE FROM claims WHERE lead_id = ANY ($1)'
/** After an opt-out of the person $1, the same content is a new lead, with a new consent. Keys are kept. */
export const forgetContent = (field: Contact['field']) =>
  `DELETE FROM claims WHERE key = content AND lead_id = ANY (ARRAY(SELECT id FROM leads WHERE ${field} = $1))`

export const insertOptOut = `
  INSERT INTO opt_outs (id, contact, name, channels, said_at, how, recorded_at, caller)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`

const optOutColumns = 'id, contact, name, channels, said_at AS "saidAt", how, recorded_at AS "recordedAt", caller'

export const findOptOuts = `SELECT ${optOutColumns} FROM opt_outs WHERE contact = ANY ($1) ORDER BY recorded_at, contact, id`

/** The do-not-contact list after the time $1, the contact $2 and the id $3, at most $4 entries. */
export const listOptOuts = `
  SELECT ${optOutColumns} FROM opt_outs WHERE (recorded_at, contact, id) > ($1, $2, $3)
  ORDER BY recorded_at, contact, id LIMIT $4`

export const findLeadIds = (field: Contact['field']) =>
  `SELECT id FROM leads WHERE ${field} = $1 ORDER BY position LIMIT 20`

/** A hash, which PostgreSQL stores as a UUID, without hyphens. */
const withoutHyphens = (hash: string) => `replace(CAST(${hash} AS text), '-', '')`

export const readNewest = 'SELECT received_at AS "receivedAt" FROM leads ORDER BY position DESC LIMIT 1'

export const findClaims = `SELECT ${withoutHyphens('key')} AS key, lead_id AS "leadId", received_at AS "receivedAt",
  ends_at AS "endsAt", ${withoutHyphens('content')} AS content FROM claims WHERE key = ANY ($1)`

export const findIds = 'SELECT id FROM leads WHERE id = ANY ($1)'
export const pruneExpired = `
  DELETE FROM claims WHERE key IN (SELECT key FROM claims WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2)
  RETURNING key`

export function recordPublishedText({ sha256, text, version = '' }: PublishedText) {
  const insert = 'INSERT INTO wordings (sha256, text, version, since) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING'
  return { text: insert, values: [sha256, text, version, new Date().toISOString()] }
}

export const readPublishedTexts = 'SELECT sha256, text, version, since FROM wordings ORDER BY sha256'

export const findWording = 'SELECT version, sha256 FROM wordings WHERE version = $1'
