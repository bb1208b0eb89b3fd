import { type Lead, submitLead } from './orval/client'
import { SubmitLeadBody } from './orval/zod'

/** Compiles only if the two kinds can be told apart by `formType`. */
export function topic(lead: Lead): string {
  return lead.formType === 'support' ? lead.helpWith : lead.bedrooms
}

/** The origin is in the generated client. The generated validator must say of the lead what the service says. */
export async function submit(lead: Lead, _: string, headers: Record<string, string>): Promise<string> {
  const { success } = SubmitLeadBody.safeParse(lead)
  const { status, data } = await submitLead(lead, { headers })
  if (success !== (status === 200 || status === 201)) return `the validator said ${success}, the service ${status}`
  return 'receivedAt' in data ? `${data.formType} ${data.id}` : `${data.code} ${data.retry}`
}
