import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import { ErasureReason, type Lead, LeadKind } from '../gen/leadintake/v1/lead_pb.ts'
import { toPlainLine } from './plain-text.ts'

/** A lead as a flat record of one-line texts. Unknown values are empty. */
export type LeadRecord = ReturnType<typeof toRecord>

/** Flattens a lead. The members, in this order, are the columns of the CSV. */
export function toRecord(lead: Lead) {
  const quote = lead.content.case === 'quoteRequest' ? lead.content.value : undefined
  const contact = lead.content.case === 'contactMessage' ? lead.content.value : undefined
  const person = quote ?? contact
  const text = (value: string | undefined) => toPlainLine(value ?? '')
  return {
    id: text(lead.id),
    receivedAt: time(lead.receivedAt),
    kind: lead.kind === LeadKind.SUPPORT ? 'support' : 'quote',
    name: text(person?.name),
    phone: text(person?.phone),
    email: text(person?.email),
    bedrooms: text(quote?.bedrooms),
    bathrooms: text(quote?.bathrooms),
    service: text(quote?.service),
    notes: text(quote?.notes),
    helpWith: text(contact?.helpWith),
    message: text(contact?.message),
    communicationsConsent: String(lead.consent?.communicationsConsent ?? ''),
    consentTimestamp: text(lead.consent?.consentTimestamp),
    pageUrl: text(lead.consent?.pageUrl),
    stoppedAt: time(lead.stoppedAt),
    erasedAt: time(lead.erasedAt),
    erasedReason: reason(lead),
  }
}

function time(timestamp: Timestamp | undefined): string {
  return timestamp ? timestampDate(timestamp).toISOString() : ''
}

function reason({ erased, erasedReason }: Lead): string {
  if (!erased) return ''
  return erasedReason === ErasureReason.RETENTION ? 'retention' : 'request'
}
