import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect'
import { LeadInboxService } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { LeadIntakeService } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { ProblemSchema } from '../../src/gen/leadintake/v1/problem_pb.ts'
import { LeadError } from '../../src/lead/error.ts'
import { faultOf } from '../../src/lead/rules.ts'
import { createRouterOptions, createRpcRoutes } from '../../src/rpc/services.ts'
import { quote } from '../support/submissions.ts'
import { type RpcServerOptions, rpcOptions, twoFaults } from './rpc-server.ts'

/** In-memory clients of the services: no listener, but with the routes and the interceptor. */
function connect(serverOptions: RpcServerOptions) {
  const { options, ...reports } = rpcOptions(serverOptions)
  const transport = createRouterTransport(createRpcRoutes(options), { router: createRouterOptions(options) })
  return {
    ...reports,
    intake: createClient(LeadIntakeService, transport),
    inbox: createClient(LeadInboxService, transport),
  }
}

const lead = { case: 'quoteRequest', value: quote } as const

async function failure(call: Promise<unknown>): Promise<ConnectError> {
  const error = await call.then(
    () => assert.fail('expected an error'),
    (reason) => reason,
  )
  assert.ok(error instanceof ConnectError)
  return error
}

async function collect<T>(messages: AsyncIterable<T>, see: (message: T) => void = () => {}): Promise<void> {
  for await (const message of messages) see(message)
}

const throwing = (error: unknown) => ({
  submit: async () => {
    throw error
  },
})

suite('errors of handlers', () => {
  test('a domain error reaches the caller with its details, and is not logged', async () => {
    const { intake, errors } = connect(throwing(twoFaults()))
    const error = await failure(intake.submitLead({ lead }))
    assert.equal(error.code, Code.InvalidArgument)
    assert.equal(error.findDetails(ProblemSchema)[0]?.errors.length, 2)
    assert.deepEqual(errors, [])
  })

  test('an unexpected error is logged, and the caller learns nothing about it', async () => {
    const cause = new Error('relation "leads" does not exist')
    const { intake, errors } = connect(throwing(cause))
    const error = await failure(intake.submitLead({ lead }))
    assert.equal(error.code, Code.Internal)
    assert.ok(!error.rawMessage.includes('relation'))
    assert.equal(errors[0]?.error, cause)
    assert.match(errors[0]?.requestId ?? '', /^[0-9a-f-]{36}$/)
  })

  test('an error with a Connect code keeps it and gets a problem', async () => {
    const { intake, errors } = connect(throwing(new ConnectError('unknown service', Code.NotFound)))
    const error = await failure(intake.submitLead({ lead }))
    assert.equal(error.code, Code.NotFound)
    assert.equal(error.findDetails(ProblemSchema)[0]?.code, 'not_found')
    assert.deepEqual(errors, [])
  })

  test('a missing method is unimplemented', async () => {
    const { inbox, errors } = connect({})
    assert.equal((await failure(inbox.getLead({ id: 'x' }))).code, Code.Unimplemented)
    assert.equal((await failure(collect(inbox.watchLeads({})))).code, Code.Unimplemented)
    assert.deepEqual(errors, [])
  })
})

suite('errors of streams', () => {
  const faults = [faultOf('cursor', 'invalid_value')]
  const refusal = new LeadError('invalid_argument', '1 field needs attention: cursor.', { faults })

  /** A watch that fails after as many leads as the cursor says. */
  const failing = (reason: unknown) => ({
    inbox: {
      async *watchLeads({ cursor }: { cursor: string }) {
        for (let lead = 0; lead < Number(cursor); lead++) yield { cursor: `${lead}` }
        throw reason
      },
    },
  })

  for (const leads of [0, 2]) {
    test(`a domain error after ${leads} messages has its details`, async () => {
      const { inbox } = connect(failing(refusal))
      const seen: string[] = []
      const error = await failure(
        collect(inbox.watchLeads({ cursor: `${leads}` }), (message) => seen.push(message.cursor)),
      )
      assert.equal(seen.length, leads)
      assert.equal(error.code, Code.InvalidArgument)
      assert.equal(error.findDetails(ProblemSchema)[0]?.errors[0]?.pointer, '#/cursor')
    })
  }

  test('an unknown error is reported, and the caller gets nothing of it', async () => {
    const cause = new Error('connection terminated')
    const { inbox, errors } = connect(failing(cause))
    const error = await failure(collect(inbox.watchLeads({ cursor: '1' })))
    assert.equal(error.code, Code.Internal)
    assert.ok(!error.rawMessage.includes('terminated'))
    assert.equal(errors[0]?.error, cause)
  })

  test('a handler that stops because its call was canceled has not failed', async () => {
    const waiting = Promise.withResolvers<void>()
    const stopped = Promise.withResolvers<void>()
    const { inbox, errors } = connect({
      inbox: {
        async *watchLeads(_, { signal }) {
          yield { cursor: '1' }
          const givenUp = new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
          waiting.resolve()
          await givenUp.finally(stopped.resolve)
        },
      },
    })
    const caller = new AbortController()
    const watch = collect(inbox.watchLeads({}, { signal: caller.signal }))
    waiting.promise.then(() => caller.abort())
    assert.equal((await failure(watch)).code, Code.Canceled)
    await stopped.promise
    await new Promise(setImmediate)
    assert.deepEqual(errors, [])
  })
})
