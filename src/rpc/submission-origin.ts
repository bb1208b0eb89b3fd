import { isIP } from 'node:net'
import type { SubmissionOrigin } from '../gen/leadintake/v1/intake_pb.ts'
import type { Fault } from '../lead/error.ts'

/** Where the end customer's submission came from, as reported by the calling system. */
export interface CustomerOrigin {
  /** Undefined: unknown. */
  clientAddress: string | undefined
  userAgent: string | undefined
  /** Whether the calling system sent an origin at all. */
  originSent: boolean
}

const userAgentMaxLength = 512

/** Long enough for an IPv6 address with a zone. Longer text is rejected without parsing. */
const addressMaxLength = 64

/** Control and bidirectional characters, as in the rules for one-line fields. */
const control = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u

/** Reads and checks the `origin` of a request, which becomes part of the evidence. Returns all the faults found. */
export function checkOrigin(origin: SubmissionOrigin | undefined): { customer: CustomerOrigin; faults: Fault[] } {
  const clientAddress = origin?.clientAddress.trim() || undefined
  const userAgent = origin?.userAgent.trim() || undefined
  const faults: Fault[] = []
  if (clientAddress !== undefined && !(clientAddress.length <= addressMaxLength && isIP(clientAddress) !== 0)) {
    faults.push({
      pointer: '#/origin/clientAddress',
      code: 'invalid_value',
      detail: 'must be an IPv4 or IPv6 address',
      hint: 'Send the end customer\'s address such as "203.0.113.9", without a port, or leave it out.',
    })
  }
  if (userAgent !== undefined && [...userAgent].length > userAgentMaxLength) {
    faults.push({
      pointer: '#/origin/userAgent',
      code: 'too_long',
      detail: `must have at most ${userAgentMaxLength} characters`,
      hint: 'Cut the text off there, or leave it out.',
    })
  } else if (userAgent !== undefined && (control.test(userAgent) || !userAgent.isWellFormed())) {
    faults.push({
      pointer: '#/origin/userAgent',
      code: 'invalid_characters',
      detail: 'must not contain control characters',
      hint: "Send the end customer's User-Agent as one line of plain text, or leave it out.",
    })
  }
  return { customer: { clientAddress, userAgent, originSent: origin !== undefined }, faults }
}
