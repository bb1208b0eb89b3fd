import type { UniversalHandler } from '@connectrpc/connect/protocol'
import { LeadInboxService } from '../gen/leadintake/v1/inbox_pb.ts'

export interface Route {
  /** Undefined: no protocol of ours, so nobody can be answered in one. */
  handler: UniversalHandler | undefined
  /** Whether the path is that of a method. If not, the handler only renders the refusal that the gate makes. */
  isKnown: boolean
}

/** Finds handlers by path. A call to an unknown path is answered in the caller's protocol, so that its client understands. */
export function createRoutes(handlers: readonly UniversalHandler[]) {
  const byPath = new Map(handlers.map((handler) => [handler.requestPath, handler]))
  const forMethod = (name: string) =>
    handlers.find(({ method }) => method.parent === LeadInboxService && method.name === name)
  // A unary method that takes GET as well, and a stream: between them they speak every form of every protocol.
  const unary = forMethod('ListLeads')
  const stream = forMethod('WatchLeads')

  return (httpMethod: string, target: string, contentType: string | undefined): Route => {
    const known = byPath.get(pathOf(target))
    if (known) return { handler: known, isKnown: true }
    const candidates = [unary, stream].filter((handler) => handler?.allowedMethods.includes(httpMethod))
    const isQuery = httpMethod === 'GET' && target.includes('encoding=')
    const handler = candidates.find((candidate) =>
      contentType === undefined ? isQuery : candidate?.supportedContentType(contentType),
    )
    return { handler, isKnown: false }
  }
}

function pathOf(target: string): string {
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}
