import assert from 'node:assert/strict'
import { checkLead } from '../../src/lead/check.ts'
import { LeadError } from '../../src/lead/error.ts'
import { type Body, nowMs } from '../support/submissions.ts'

export const options = { nowMs, acceptTestLeads: true } as const

/** What a body is refused with. */
export function refusal(body: Body, others: Partial<Parameters<typeof checkLead>[1]> = {}): LeadError {
  try {
    checkLead(body, { ...options, ...others })
  } catch (error) {
    assert(error instanceof LeadError)
    return error
  }
  return assert.fail('was accepted')
}
