import createClient from 'openapi-fetch'
import type { components, paths } from './openapi-typescript/schema'

type Lead = components['schemas']['Lead']

/** Compiles only if the two kinds can be told apart by `formType`. */
export function topic(lead: Lead): string {
  return lead.formType === 'support' ? lead.helpWith : lead.bedrooms
}

export async function submit(lead: Lead, baseUrl: string, headers: Record<string, string>): Promise<string> {
  const client = createClient<paths>({ baseUrl })
  const { data, error } = await client.POST('/api/v1/leads', { body: lead, headers })
  return data ? `${data.formType} ${data.id}` : `${error?.code} ${error?.retry}`
}
