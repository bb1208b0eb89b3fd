import { client } from './hey-api/client.gen'
import { submitLead } from './hey-api/sdk.gen'
import type { Lead } from './hey-api/types.gen'

/** Compiles only if the two kinds can be told apart by `formType`. */
export function topic(lead: Lead): string {
  return lead.formType === 'support' ? lead.helpWith : lead.bedrooms
}

export async function submit(lead: Lead, baseUrl: string, headers: Record<string, string>): Promise<string> {
  client.setConfig({ baseUrl })
  const { data, error } = await submitLead({ body: lead, headers })
  return data ? `${data.formType} ${data.id}` : `${error?.code} ${error?.retry}`
}
