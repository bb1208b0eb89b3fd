import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { listen } from './ports.ts'

/** A received message: its header fields by lowercase name, unfolded, and its body with long lines joined. */
export interface Mail {
  headers: Map<string, string>
  body: string
}

export type SmtpServer = Awaited<ReturnType<typeof startSmtpServer>>

/** A minimal mail server that accepts every message (RFC 5321). */
export async function startSmtpServer(port = 0) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => socket.destroy()))
    serve(socket, smtp)
  })
  const smtp = {
    port,
    mails: [] as Mail[],
    /** Its answer to a complete message. Undefined: no answer, as if the connection hung. */
    answer: (_: Mail): string | undefined => '250 taken',
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  smtp.port = await listen(server, port)
  return smtp
}

function serve(socket: Socket, smtp: Pick<SmtpServer, 'mails' | 'answer'>): void {
  const say = (line: string) => socket.write(`${line}\r\n`)
  let data: string[] | undefined
  say('220 test')
  const lines = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })
  // It repeats the errors of the socket, such as when the sender is killed.
  lines.on('error', () => {})
  lines.on('line', (line) => {
    if (data && line !== '.') data.push(line.replace(/^\./, ''))
    else if (data) {
      const mail = parse(data.join('\n'))
      data = undefined
      smtp.mails.push(mail)
      const answer = smtp.answer(mail)
      if (answer) say(answer)
    } else if (line === 'DATA') {
      data = []
      say('354 go on')
    } else say(line.startsWith('QUIT') ? '221 bye' : '250 fine')
  })
}

function parse(text: string): Mail {
  const end = text.indexOf('\n\n')
  const unfolded = text.slice(0, end).replaceAll(/\n[ \t]+/g, ' ')
  const fields = unfolded.matchAll(/^([^:\n]*):[ \t]*(.*)$/gm)
  const body = text.slice(end + 2)
  return {
    headers: new Map(Array.from(fields, ([, name = '', value = '']) => [name.toLowerCase(), value] as const)),
    body: body.replaceAll('=\n', '').replaceAll('=3D', '='),
  }
}
