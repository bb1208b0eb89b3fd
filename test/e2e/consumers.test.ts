// Runs the programs in examples/: the consumers through crashes of both sides, an erasure, an opt-out, a database
// restored from an older backup, and a service that goes silent; those that submit through refusals and lost answers.
import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import { createServer } from 'node:http2'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect'
import { connectNodeAdapter } from '@connectrpc/connect-node'
import { RetryInfoSchema } from '../../src/gen/google/rpc/error_details_pb.ts'
import { LeadIntakeService, type SubmitLeadRequest } from '../../src/gen/leadintake/v1/intake_pb.ts'
import { ProblemSchema } from '../../src/gen/leadintake/v1/problem_pb.ts'
import { assertStored, readContents } from '../support/backends.ts'
import {
  buildPrograms,
  type Consumer,
  createConsumer,
  type Program,
  skipWithoutExamples,
  submitFrom,
} from '../support/consumers.ts'
import { post } from '../support/http.ts'
import { startLoad } from '../support/load.ts'
import { newFolder } from '../support/machine.ts'
import { freePorts, listen } from '../support/ports.ts'
import { inboxClient, type RunningService, runService, startService } from '../support/service.ts'
import { quote } from '../support/submissions.ts'
import { until } from '../support/until.ts'

/** Waits until a condition is true for every consumer. */
async function forEach(consumers: readonly Consumer[], holds: (consumer: Consumer) => boolean): Promise<void> {
  for (const consumer of consumers) {
    await until(consumer.language, () => holds(consumer), { withinMs: 30_000, everyMs: 50 }).catch((error) => {
      throw new Error(`${consumer.language}: ${consumer.output().slice(-2_000)}`, { cause: error })
    })
  }
}

suite('the consumers of examples/', { skip: skipWithoutExamples }, () => {
  const home = newFolder()
  const file = join(home, 'leads.db')
  let port: number
  let followers: Program[]
  let submitters: Program[]
  let consumers: Consumer[]
  let service: RunningService

  const start = async () => {
    service = await runService({ DATABASE_URL: `sqlite:${file}`, INTERNAL_PORT: String(port) })
  }
  const stop = async (signal: NodeJS.Signals) => {
    service.signal(signal)
    await service.exited
    await service.dispose()
  }
  const submit = async (notes: string) => String((await post(service.url, { ...quote, notes })).json.id)
  const copyOf = (consumer: Consumer, id: string) => consumer.copies().get(id)

  before(async () => {
    ;[port = 0] = await freePorts(1)
    const all = buildPrograms(home)
    followers = all.filter(({ command }) => command)
    consumers = followers.map((program) => createConsumer(program, home, port))
    submitters = all.filter(({ submit }) => submit)
    await start()
  })
  after(async () => {
    for (const consumer of consumers ?? []) await consumer.kill()
    await service?.dispose()
  })

  test('have every lead exactly once, even when both sides crash', async () => {
    const urls = [service.url]
    for (const consumer of consumers) consumer.start()
    const load = startLoad(urls, { connections: 4, most: 400, perSecond: 100 })
    await forEach(consumers, (consumer) => consumer.copies().size > 50)
    for (const consumer of consumers) {
      await consumer.kill()
      consumer.start()
    }
    await until('more leads', () => load.ledger.acknowledged.length > 100)
    await stop('SIGKILL')
    await start()
    urls[0] = service.url
    const { acknowledged } = await load.done
    const contents = await readContents(service.databaseUrl)
    assertStored(acknowledged, contents)
    const { leads } = contents
    await forEach(consumers, (consumer) => consumer.copies().size >= leads.length)
    for (const consumer of consumers) assert.deepEqual(new Set(consumer.copies().keys()), new Set(leads))
  })

  test('recover from a restored database: keep erasures and opt-outs, and report them and lost leads', async () => {
    const person = { ...quote, email: 'robin@example.org', phone: '202-555-0177' }
    const halted = String((await post(service.url, person)).json.id)
    const kept = await submit('erased after the backup')
    await stop('SIGTERM')
    cpSync(file, `${file}.backup`)
    await start()
    const lost = [await submit('lost 1'), await submit('lost 2')]
    await forEach(consumers, (consumer) => copyOf(consumer, lost[1] as string) !== undefined)
    await inboxClient(service.internalUrl).recordOptOut({ contact: person.phone })
    await inboxClient(service.internalUrl).eraseLead({ id: kept })
    await forEach(consumers, (consumer) => copyOf(consumer, kept)?.erased === true)
    await forEach(consumers, (consumer) => copyOf(consumer, halted)?.optedOutAt !== undefined)
    const optOutOf = (consumer: Consumer) => Date.parse(copyOf(consumer, halted)?.optedOutAt ?? '')
    const [optedOutMs] = consumers.map(optOutOf)

    await stop('SIGKILL')
    for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
    cpSync(`${file}.backup`, file)
    await start()
    const fresh = await submit('after the restore')
    await forEach(consumers, (consumer) => copyOf(consumer, fresh) !== undefined)
    const tellingLoss = consumers.filter(({ language }) => language !== 'php')
    await forEach(tellingLoss, (consumer) => lost.every((id) => consumer.output().includes(`has lost: ${id}`)))
    for (const consumer of consumers) {
      const { language } = consumer
      assert.match(consumer.output(), new RegExp(`erase again: ${kept}`), language)
      assert.equal(copyOf(consumer, kept)?.quoteRequest, undefined, language)
      assert.equal(copyOf(consumer, lost[0] as string)?.quoteRequest?.notes, 'lost 1', language)
      assert.match(consumer.output(), new RegExp(`^opt-out again: ${halted} 20\\S+Z$`, 'm'), language)
      assert.equal(optOutOf(consumer), optedOutMs, language)
    }
  })

  test('submit a lead with a key and a deadline, again after a wait and a lost answer, and say what to correct', async () => {
    await using strict = await startService({ TEST_LEADS: 'reject' })
    const port = (url: string) => Number(new URL(url).port)
    await Promise.all(
      submitters.map(async (program) => {
        assert.match(await submitFrom(program, port(service.internalUrl)), /^stored as [0-9a-f-]{36}\n$/)
        const refused = await submitFrom(program, port(strict.internalUrl))
        assert.match(refused, /^Failed_?Precondition test_lead_rejected 2 fields.*\n#\/phone: Send.*\n#\/email: Send/i)

        const attempts: [key: string, hasDeadline: boolean][] = []
        const submitLead = (request: SubmitLeadRequest, { timeoutMs }: HandlerContext) => {
          attempts.push([request.idempotencyKey, timeoutMs() !== undefined])
          if (attempts.length > 1) return { id: 'third time' }
          throw new ConnectError('busy', Code.Unavailable, undefined, [
            { desc: ProblemSchema, value: { code: 'overloaded', retryable: true } },
            { desc: RetryInfoSchema, value: { retryDelay: {} } },
          ])
        }
        const answer = connectNodeAdapter({ routes: ({ service }) => service(LeadIntakeService, { submitLead }) })
        let calls = 0
        const strained = createServer((request, response) => {
          if (++calls === 2) request.stream.session?.destroy()
          else answer(request, response)
        })
        assert.equal(await submitFrom(program, await listen(strained)), 'stored as third time\n')
        strained.close()
        const [[key] = []] = attempts
        assert.match(key ?? '', /^[0-9a-f-]{32,36}$/)
        assert.deepEqual([calls, attempts], [3, Array(2).fill([key, true])], program.language)
      }),
    )
  })

  test('abandon a silent stream, and come back soon after an outage: no attempt waits longer than the one before', async () => {
    const connections: Record<string, number> = {}
    const others: Consumer[] = []
    for (const program of followers) {
      const { language } = program
      // The first connection is silent, then the service is away.
      const server = createServer().on('connection', (socket) => {
        connections[language] = (connections[language] ?? 0) + 1
        if (connections[language] > 1) socket.destroy()
      })
      // A consumer that ends its connection with an error code ends the stream with it.
      server.on('stream', (stream) => stream.on('error', () => undefined))
      const consumer = createConsumer(program, newFolder(), await listen(server.unref()), { SILENCE_SECONDS: '0.5' })
      others.push(consumer)
      consumer.start()
    }
    consumers.push(...others)
    // A gRPC channel that is not renewed takes about a minute for nine attempts.
    await forEach(others, ({ language }) => (connections[language] ?? 0) >= 10)
  })
})
