import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { ServiceImpl } from '@connectrpc/connect'
import type { LeadIntakeService, SubmitLeadRequest, SubmitLeadResponseSchema } from '../gen/leadintake/v1/intake_pb.ts'
import { checkLead } from '../lead/check.ts'
import { type Fault, LeadError } from '../lead/error.ts'
import { faultOf, leadMessages } from '../lead/rules.ts'
import type { Candidate, LeadKind } from '../lead/submission.ts'
import type { Submit } from '../lead/submit.ts'
import { type Call, callKey } from './call.ts'
import { deadlineOf, withinDeadline } from './deadline.ts'
import { readOrigin } from './submission-origin.ts'

/** The method `SubmitLead`. `deadline` is aborted at the caller's deadline. */
export type SubmitLead = (
  request: SubmitLeadRequest,
  call: Call,
  deadline: AbortSignal | undefined,
) => Promise<MessageInitShape<typeof SubmitLeadResponseSchema>>

/** `LeadIntakeService` (docs/specification.md §8). */
export function createIntakeService(submit: Submit): ServiceImpl<typeof LeadIntakeService> {
  const submitLead = createSubmitLead(submit)
  return {
    submitLead: (request, context) => submitLead(request, context.values.get(callKey), deadlineOf(context)),
  }
}

/** Converts the fields that are set to their REST names, and calls the same `submit` as REST. */
export function createSubmitLead(submit: Submit): SubmitLead {
  return async (request, { requestId, caller }, deadline) => {
    const lead = readLead(request)
    const { customer, faults } = readOrigin(request.origin)
    if (faults.length > 0) refuseOrigin(faults, lead)
    const work = submit({
      ...lead,
      idempotencyKey: request.idempotencyKey || undefined,
      // All internal callers share one scope of Idempotency-Keys.
      origin: { requestId, path: 'rpc', keyScope: 'rpc', caller, ...customer },
    })
    const { outcome, receipt } = await withinDeadline(deadline, work)
    return {
      id: receipt.id,
      receivedAt: timestampFromMs(Date.parse(receipt.receivedAt)),
      replayed: outcome === 'replayed',
      duplicate: outcome === 'duplicate',
    }
  }
}

/**
 * The kind that the `oneof` selects, and its fields that are set. Throws `validation_failed` when neither kind is
 * selected.
 */
export function readLead({ lead }: SubmitLeadRequest): { kind: LeadKind; candidate: Candidate } {
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
function refuseOrigin(faults: readonly Fault[], { kind, candidate }: ReturnType<typeof readLead>): never {
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
