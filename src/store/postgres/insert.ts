import type { NewLead } from '../../lead/submission.ts'
import { StoreError } from '../database.ts'
import { leadStates, type PostgresConnection } from './connection.ts'

/** Separates the values of a column, which have no control characters (JSON escapes them). */
const separator = '\x1f'

const toArray = (type: string, index: number) => `string_to_array($${index + 1}, E'\\x1f')::${type}[]`

/** The types of the parameters of `store_leads`: seven for leads, then five for claims. */
const columns = 'uuid text timestamptz text text text text uuid uuid timestamptz timestamptz uuid'.split(' ')

/** Reads nothing, but fails if a right or row-level security keeps a table from those who will read the leads. */
export const whereReadable = 'WHERE true OR EXISTS (SELECT FROM opt_outs, changes, wordings)'

/** One call is one transaction and one round trip. */
const insert = {
  name: 'insert_leads',
  // Columns and ids are one text each, because the driver takes long for the elements of arrays and for rows.
  text: `SELECT string_agg(id::text, ',') AS ids FROM store_leads(${columns.map(toArray).join(', ')}) AS id
    ${whereReadable}`,
}

function claimsOf(lead: NewLead) {
  const content = { key: lead.contentHash, endsAt: lead.contentUntil, lead }
  const key = { key: lead.keyHash, endsAt: lead.keyUntil, lead }
  return [content, key].filter(({ endsAt }) => endsAt !== null)
}

function parametersOf(leads: readonly NewLead[]): string[] {
  const claims = leads.flatMap(claimsOf)
  return [
    leads.map(({ id }) => id),
    leads.map(({ kind }) => kind),
    leads.map(({ receivedAt }) => receivedAt),
    leads.map(({ personal }) => personal),
    leads.map(({ evidence }) => evidence),
    leads.map(({ phone }) => phone),
    leads.map(({ email }) => email),
    claims.map(({ key }) => key),
    claims.map(({ lead }) => lead.id),
    claims.map(({ lead }) => lead.receivedAt),
    claims.map(({ endsAt }) => endsAt),
    claims.map(({ lead }) => lead.contentHash),
  ].map((column) => column.join(separator))
}

const notNullViolation = '23502'

/** Every error that is not about a lead is an outage, such as a missing right or a sequence that was set back. */
function isLeadAtFault({ code, constraint }: StoreError): boolean {
  return leadStates.test(code) && code !== notNullViolation && constraint !== 'leads_pkey'
}

export async function insertLeads(writer: PostgresConnection, leads: readonly NewLead[]): Promise<readonly string[]> {
  try {
    const { rows } = await writer.query<{ ids: string | null }>({ ...insert, values: parametersOf(leads) })
    return rows[0]?.ids?.split(',') ?? []
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    // One of the leads is stored already: an earlier attempt succeeded, and its answer was lost.
    if (error.constraint === 'leads_id_key') return []
    throw isLeadAtFault(error) ? error : new StoreError(error.code, true, error.message)
  }
}
