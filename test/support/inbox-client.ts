import { type Client, createClient } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { LeadInboxService } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { LeadIntakeService } from '../../src/gen/leadintake/v1/intake_pb.ts'

/** A typed client of the inbox, like those of the business's services. TLS options are those of Node's `connect`. */
export function inboxClient(internalUrl: string, nodeOptions: object = {}): Client<typeof LeadInboxService> {
  return createClient(LeadInboxService, createGrpcTransport({ baseUrl: internalUrl, nodeOptions }))
}

/** A typed client of the internal listener that submits leads. */
export function intakeClient(internalUrl: string, nodeOptions: object = {}): Client<typeof LeadIntakeService> {
  return createClient(LeadIntakeService, createGrpcTransport({ baseUrl: internalUrl, nodeOptions }))
}
