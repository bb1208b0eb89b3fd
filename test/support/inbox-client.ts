import { type Client, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { LeadInboxService } from '../../src/gen/leadintake/v1/inbox_pb.ts'

/** A typed client of the inbox, like those of the business's services. TLS options are those of Node's `connect`. */
export function inboxClient(internalUrl: string, nodeOptions: object = {}): Client<typeof LeadInboxService> {
  return createClient(LeadInboxService, createGrpcTransport({ baseUrl: internalUrl, nodeOptions }))
}

/** The ids of every lead, page by page. */
export async function listAll(client: Client<typeof LeadInboxService>, pageSize = 500): Promise<string[]> {
  const ids: string[] = []
  let pageToken = ''
  do {
    const page = await client.listLeads({ pageSize, pageToken })
    ids.push(...page.leads.map(({ id }) => id))
    pageToken = page.nextPageToken
  } while (pageToken !== '')
  return ids
}
