import type { UniversalHandler } from '@connectrpc/connect/protocol'
import { LeadInboxService } from '../gen/leadintake/v1/inbox_pb.ts'

export interface Route {
  /** Undefined: the request uses no RPC protocol, so the answer is plain HTTP. */
  handler: UniversalHandler | undefined
  /** Whether the path names a method. If not, the handler only renders the gate's refusal. */
  isKnown: boolean
}

/**
 * Finds handlers by path. A call to an unknown path is still answered in the caller's protocol, so that clients can
 * read it.
 */
export function createRoutes(handlers: readonly UniversalHandler[]) {
  const byPath = new Map(handlers.map((handler) => [handler.requestPath, handler]))
  const forMethod = (name: string) =>
    handlers.find(({ method }) => method.parent === LeadInboxService && method.name === name)
  // A unary method that also accepts GET, and a streaming method. Together they cover every form of every protocol.
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
