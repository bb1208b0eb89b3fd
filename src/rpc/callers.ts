import type { DescMethod } from '@bufbuild/protobuf'
import { LeadInboxService } from '../gen/leadintake/v1/inbox_pb.ts'
import { LeadIntakeService } from '../gen/leadintake/v1/intake_pb.ts'

/** What a caller may be allowed (`INTERNAL_CALLERS`). */
export type CallerRole = 'submit' | 'read' | 'erase'

/** Who may do what, by a name in the caller's certificate. */
export type Callers = ReadonlyMap<string, ReadonlySet<CallerRole>>

/** Who calls, as far as the certificate says, and what that caller may do. */
export interface Identity {
  caller: string | undefined
  roles: ReadonlySet<CallerRole>
}

const everything: ReadonlySet<CallerRole> = new Set(['submit', 'read', 'erase'])

/** What a certificate alone allows: to erase, a caller has to be named. */
const withoutList: ReadonlySet<CallerRole> = new Set(['submit', 'read'])

/** The role that each method needs. Health and reflection need none. */
const roles = new Map<DescMethod, CallerRole>([
  [LeadIntakeService.method.submitLead, 'submit'],
  [LeadInboxService.method.listLeads, 'read'],
  [LeadInboxService.method.watchLeads, 'read'],
  [LeadInboxService.method.getLead, 'read'],
  [LeadInboxService.method.eraseLead, 'erase'],
  [LeadInboxService.method.recordStop, 'erase'],
])

/** The role that a method needs; undefined: everybody may call it. */
export function roleFor(method: DescMethod): CallerRole | undefined {
  return roles.get(method)
}

/**
 * Says who a caller is. `names` are those of the certificate, undefined without certificates. A caller whose certificate
 * has several listed names has the roles of all of them.
 */
export function identify(names: readonly string[] | undefined, callers: Callers | undefined): Identity {
  if (names === undefined) return { caller: undefined, roles: everything }
  if (callers === undefined) return { caller: names[0], roles: withoutList }
  const listed = names.filter((name) => callers.has(name))
  return {
    caller: listed[0] ?? names[0],
    roles: new Set(listed.flatMap((name) => [...(callers.get(name) ?? [])])),
  }
}
