import type { DescMessage } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { ServiceImpl } from '@connectrpc/connect'
import type { LeadIntakeService, SubmitLeadRequest } from '../gen/leadintake/v1/intake_pb.ts'
import { checkLead } from '../lead/check.ts'
import { type Fault, LeadError } from '../lead/error.ts'
import { faultOf, leadMessages } from '../lead/rules.ts'
import type { Candidate, LeadKind } from '../lead/submission.ts'
import type { Submit } from '../lead/submit.ts'
import { callKey } from './call.ts'
import { checkOrigin } from './submission-origin.ts'

/** `LeadIntakeService` (docs/specification.md §8): converts the set fields, and calls the same `submit` as REST. */
export function createIntakeService(submit: Submit): ServiceImpl<typeof LeadIntakeService> {
  return {
    async submitLead(request, { values }) {
      const { requestId, caller } = values.get(callKey)
      const lead = toCandidate(request)
      const { customer, faults } = checkOrigin(request.origin)
      if (faults.length > 0) refuseOrigin(faults, lead)
      const { outcome, receipt } = await submit({
        ...lead,
        idempotencyKey: request.idempotencyKey || undefined,
        // All internal callers share one scope of Idempotency-Keys.
        origin: { requestId, path: 'rpc', keyScope: 'rpc', caller, ...customer },
      })
      return {
        id: receipt.id,
        receivedAt: timestampFromMs(Date.parse(receipt.receivedAt)),
        replayed: outcome === 'replayed',
        duplicate: outcome === 'duplicate',
      }
    },
  }
}

/**
 * The kind that the `oneof` selects, and its fields that are set. Throws `validation_failed` when neither kind is
 * selected.
 */
export function toCandidate({ lead }: SubmitLeadRequest): { kind: LeadKind; candidate: Candidate } {
  switch (lead.case) {
    case 'quoteRequest':
      return { kind: 'quote', candidate: setFields(leadMessages.quote, lead.value) }
    case 'contactMessage':
      return { kind: 'support', candidate: setFields(leadMessages.support, lead.value) }
    default: {
      const detail = 'must be a quote_request or a contact_message'
      const fault = faultOf('lead', 'required', { detail, hint: 'Set one of the two, with its fields.' })
      throw new LeadError('validation_failed', 'The request carries no lead.', { faults: [fault] })
    }
  }
}

/** Reports the faults of the origin and of the lead together, so that one answer names everything to correct. */
function refuseOrigin(faults: readonly Fault[], { kind, candidate }: ReturnType<typeof toCandidate>): never {
  const all = [...findFaults(candidate, kind), ...faults]
  const detail = `${all.length} ${all.length === 1 ? 'field needs' : 'fields need'} attention.`
  throw new LeadError('validation_failed', detail, { faults: all })
}

function findFaults(candidate: Candidate, kind: LeadKind): readonly Fault[] {
  try {
    checkLead(candidate, { kind, nowMs: Date.now(), acceptTestLeads: true })
    return []
  } catch (error) {
    if (error instanceof LeadError) return error.faults
    throw error
  }
}

function setFields(schema: DescMessage, message: object): Candidate {
  const values = message as Record<string, unknown>
  const candidate: Record<string, unknown> = {}
  for (const field of schema.fields) {
    const value = values[field.localName]
    if (value !== undefined) candidate[field.jsonName] = value
  }
  return candidate
}
