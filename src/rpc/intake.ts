import { isIP } from 'node:net'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { ServiceImpl } from '@connectrpc/connect'
import type { LeadIntakeService, SubmissionOrigin, SubmitLeadRequest } from '../gen/leadintake/v1/intake_pb.ts'
import { type Fault, LeadError } from '../lead/error.ts'
import { faultOf, leadMessages } from '../lead/rules.ts'
import type { Candidate, LeadKind } from '../lead/submission.ts'
import type { Submit } from '../lead/submit.ts'
import { memberDetails, memberHints, originFaults } from '../words/faults.ts'
import { details } from '../words/problems.ts'
import { callKey } from './request.ts'

/** `LeadIntakeService` (docs/specification.md §8): converts the set fields, and calls the same `submit` as REST. */
export function createIntakeService(submit: Submit): ServiceImpl<typeof LeadIntakeService> {
  return {
    async submitLead(request, { values }) {
      const call = values.get(callKey)
      const { stated, faults } = readOrigin(request.origin)
      const { outcome, receipt, stored } = await submit({
        ...toCandidate(request),
        idempotencyKey: request.idempotencyKey || undefined,
        // All internal callers share one scope of Idempotency-Keys.
        origin: { requestId: call.requestId, submissionPath: 'rpc', keyScope: 'rpc', caller: call.caller, ...stated },
        otherFaults: faults,
        isOver: () => call.isOver,
      })
      call.stored = stored
      return {
        id: receipt.id,
        receivedAt: timestampFromMs(Date.parse(receipt.receivedAt)),
        replayed: outcome === 'replayed',
        duplicate: outcome === 'duplicate',
      }
    },
  }
}

/** The kind that the `oneof` selects, and its set fields. Throws `validation_failed` when neither kind is selected. */
function toCandidate({ lead }: SubmitLeadRequest): { kind: LeadKind; candidate: Candidate } {
  if (lead.case === undefined) {
    const fault = faultOf('lead', 'required', { detail: memberDetails.lead, hint: memberHints.choose_lead })
    throw new LeadError('validation_failed', { detail: details.no_lead, faults: [fault] })
  }
  const kind = lead.case === 'quoteRequest' ? 'quote' : 'support'
  const values = lead.value as object as Record<string, unknown>
  const entries = leadMessages[kind].fields.map(({ jsonName, localName }) => [jsonName, values[localName]])
  return { kind, candidate: Object.fromEntries(entries.filter(([, value]) => value !== undefined)) }
}

/** Reads and checks the `origin` of a request, which becomes part of the evidence. */
function readOrigin(origin: SubmissionOrigin | undefined) {
  const clientAddress = origin?.clientAddress.trim() || undefined
  const { userAgent, consentVersion } = origin ?? {}
  const fault: Fault = { pointer: '#/origin/clientAddress', code: 'invalid_value', ...originFaults.client_address }
  const faults = clientAddress !== undefined && isIP(clientAddress) === 0 ? [fault] : []
  return { stated: { clientAddress, userAgent, consentVersion, originSent: origin !== undefined }, faults }
}
