import { readFileSync } from 'node:fs'
import Koa from 'koa'
import { port, setting } from './common.ts'

// Koa with nothing behind it: it refuses every submission and serves one document. Its answers are those that the runner
// has received from the service, field by field.

/** An answer of the service, without the fields that Node and Koa add. */
export interface RecordedAnswer {
  status: number
  fields: Record<string, string>
  body: string
}

const answers = JSON.parse(readFileSync(setting('ANSWERS_FILE'), 'utf8'))
const { refusal, document }: Record<'refusal' | 'document', RecordedAnswer> = answers

const app = new Koa()
app.use((ctx) => {
  const { status, fields, body } = ctx.method === 'POST' ? refusal : document
  ctx.status = status
  ctx.set(fields)
  if (ctx.fresh) ctx.status = 304
  else ctx.body = body
})
app.listen(port, '127.0.0.1')
