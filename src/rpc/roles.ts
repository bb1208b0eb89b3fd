import type { DescMethod } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import type { CallerRole, Callers } from '../config/types.ts'
import { LeadInboxService } from '../gen/leadintake/v1/inbox_pb.ts'
import { LeadIntakeService } from '../gen/leadintake/v1/intake_pb.ts'
import { LeadError } from '../lead/error.ts'
import { fillWords } from '../template.ts'
import { details } from '../words/problems.ts'
import { renderError } from './errors.ts'
import { callKey } from './request.ts'

const allRoles: ReadonlySet<CallerRole> = new Set(['submit', 'read', 'erase'])

/** The roles of a caller with a valid certificate if no list is configured. `erase` must always be granted by name. */
const rolesWithoutList: ReadonlySet<CallerRole> = new Set(['submit', 'read'])

type LeadMethod = keyof typeof LeadIntakeService.method | keyof typeof LeadInboxService.method

const roles: Readonly<Record<LeadMethod, CallerRole>> = {
  submitLead: 'submit',
  listLeads: 'read',
  watchLeads: 'read',
  getLead: 'read',
  eraseLead: 'erase',
  recordOptOut: 'erase',
  findOptOuts: 'read',
  listOptOuts: 'read',
}

/** The role that a method requires. Undefined for health and reflection. */
export function roleFor({ parent, localName }: DescMethod): CallerRole | undefined {
  return parent === LeadIntakeService || parent === LeadInboxService ? roles[localName as LeadMethod] : undefined
}

/** How many calls may be open at once that need no role, and how many refusals. */
export const openToAllMax = 64

/** Identifies a caller by the names in its certificate, if it has one. It has the roles of all listed names. */
function identifyCaller(names: readonly string[] | undefined, callers: Callers | undefined) {
  if (names === undefined) return { caller: undefined, roles: allRoles }
  if (callers === undefined) return { caller: names[0], roles: rolesWithoutList }
  const listed = names.filter((name) => callers.has(name))
  return { caller: listed[0] ?? names[0], roles: new Set(listed.flatMap((name) => [...(callers.get(name) ?? [])])) }
}

/** Refuses calls that the caller may not make, before their message is read. */
export function createGate(baseUrl: string, callers: Callers | undefined): (context: HandlerContext) => void {
  return ({ method, values }) => {
    const call = values.get(callKey)
    const { caller, roles } = identifyCaller(call.names, callers)
    call.caller = caller
    const role = roleFor(method)
    if (role === undefined || roles.has(role)) return
    const detail = fillWords(details.no_role, { caller: caller ?? 'without a name in its certificate', role })
    call.code = 'permission_denied'
    const context = { baseUrl, requestId: call.requestId, input: method.input }
    throw renderError(new LeadError('permission_denied', { detail }), context)
  }
}
