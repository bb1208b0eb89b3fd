// Sends each lead as an e-mail through the business's own mail server. README.md says how to run it.
import { setTimeout as delay } from 'node:timers/promises'
import { Code, ConnectError, createClient } from '@connectrpc/connect'
import { createGrpcTransport, Http2SessionManager } from '@connectrpc/connect-node'
import nodemailer from 'nodemailer'
import { LeadInboxService } from '../../src/gen/leadintake/v1/inbox_pb.ts'
import { type Sender, sendAbout } from './send.ts'
import { readSettings, type Settings } from './settings.ts'
import { openState } from './state.ts'

/** Reads one stream to its end, on a new connection, and sends a message about each lead. */
async function follow({ inboxUrl: baseUrl, readTls, startNow, silenceMs }: Settings, sender: Sender): Promise<void> {
  const { state, stopping } = sender
  const connection = new Http2SessionManager(baseUrl, undefined, readTls())
  const inbox = createClient(LeadInboxService, createGrpcTransport({ baseUrl, sessionManager: connection }))
  const silence = new AbortController()
  const request = { cursor: state.cursor(), startNow: startNow && state.isNew(), consumer: 'leads-to-mail' }
  const signal = AbortSignal.any([stopping, silence.signal])
  const stream = inbox.watchLeads(request, { signal })[Symbol.asyncIterator]()
  try {
    for (;;) {
      // Measures only the wait for the service, not the wait for the mail server.
      const timer = setTimeout(() => silence.abort(new Error('the stream is silent')), silenceMs)
      const { value, done } = await stream.next().finally(() => clearTimeout(timer))
      if (done) return
      if (value.lead) await sendAbout(value.lead, sender)
      state.moveTo(value.cursor)
    }
  } finally {
    connection.abort()
  }
}

function readSettingsOrExit(): Settings {
  try {
    return readSettings(process.env)
  } catch (error) {
    console.error((error as Error).message)
    process.exit(78)
  }
}

const settings = readSettingsOrExit()
const stop = new AbortController()
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort(new Error('stopped')))
const timeouts = { connectionTimeout: 30_000, greetingTimeout: 30_000, socketTimeout: 60_000 }
const transport = nodemailer.createTransport({ url: settings.smtpUrl, ...timeouts })
const state = openState(settings.stateFile)
const sender: Sender = {
  settings,
  state,
  mail: (message) => transport.sendMail(message),
  stopping: stop.signal,
  log: (text) => console.log(`${new Date().toISOString()} ${text}`),
}
sender.log(`following ${settings.inboxUrl}`)
while (!stop.signal.aborted) {
  try {
    await follow(settings, sender)
  } catch (error) {
    if (stop.signal.aborted) break
    const { code, rawMessage } = ConnectError.from(error)
    sender.log(`the stream has ended: ${Code[code]}, ${rawMessage}`)
    // The service's database was restored. Start over: leads that were sent before are known, and not sent again.
    if (code === Code.OutOfRange) state.moveTo('')
  }
  await delay(1_000, undefined, { signal: stop.signal }).catch(() => {})
}
state.close()
sender.log('stopped')
