import type { DescMethod } from '@bufbuild/protobuf'
import type { CallerRole, Callers } from '../config/callers.ts'
import { LeadInboxService } from '../gen/leadintake/v1/inbox_pb.ts'
import { LeadIntakeService } from '../gen/leadintake/v1/intake_pb.ts'

/** Who the caller is, according to its certificate, and which roles it has. */
export interface Identity {
  caller: string | undefined
  roles: ReadonlySet<CallerRole>
}

const everything: ReadonlySet<CallerRole> = new Set(['submit', 'read', 'erase'])

/** Roles of a caller with a valid certificate when no list is configured. `erase` must always be granted by name. */
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

/** The role that a method requires. Undefined: no role is required. */
export function roleFor(method: DescMethod): CallerRole | undefined {
  return roles.get(method)
}

/**
 * Identifies a caller. `names` are the names in its certificate; undefined without certificates. If several of them are
 * listed, the caller gets the roles of all of them.
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
