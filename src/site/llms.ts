import { faultCodes, faultTable } from '../lead/fault-table.ts'
import { kindField } from '../lead/rules.ts'
import { currentWording } from '../lead/terms.ts'
import { problemCodes, problemTable } from '../problem/table.ts'
import type { DiscoveryContext } from './context.ts'
import type { Document } from './document.ts'
import { exampleLeads, exampleReceipt, exampleWarning, showJson } from './facts/examples.ts'
import { kindFacts } from './facts/fields.ts'
import { headerFact, headerNames } from './facts/headers.ts'
import { amount, limitFacts, rateText } from './facts/limits.ts'
import { exampleHeader } from './facts/problem-examples.ts'

/** `/llms.txt` (llmstxt.org): a heading, a summary, prose without headings, then sections that are lists of links. */
export function createLlmsTxt(context: DiscoveryContext): Document {
  return {
    path: '/llms.txt',
    contentType: 'text/plain; charset=utf-8',
    render: () => renderLlmsTxt(context),
    readableAnywhere: true,
  }
}

function renderLlmsTxt(context: DiscoveryContext): string {
  const { baseUrl, business } = context
  const parts = [
    '# Lead Intake API v1',
    `> Public HTTPS API of ${business.name}, a residential cleaning business (${business.serviceArea}). It takes quote requests and contact messages that a customer has explicitly authorised. No key, no account, no sandbox.`,
    rules(context),
    example(context),
    fields(),
    `Limits:\n\n${limitFacts(context)
      .map(({ name, value, meaning }) => `- ${name}: ${value}. ${meaning.source.replace(/\\/g, '')}`)
      .join('\n')}`,
    headers(),
    problems(),
    faults(),
    `## API

- [OpenAPI 3.1](${baseUrl}/openapi.json): every field, status and header
- [Service status](${baseUrl}/api/v1): whether leads are taken now, and every address
- [API catalog](${baseUrl}/.well-known/api-catalog): RFC 9727

## Documentation

- [API reference](${baseUrl}/api-docs): the same in full; Markdown with \`Accept: text/markdown\`
- [Overview](${baseUrl}/developers): what the API is for
- [Problems](${baseUrl}/problems): each code, with what to do

## Policies

- [Terms](${baseUrl}/terms): what may be submitted, and the consent wording
- [Privacy](${baseUrl}/privacy): what is kept, and for how long`,
  ]
  return `${parts.join('\n\n')}\n`
}

function rules(context: DiscoveryContext): string {
  return `Before you post:

- Submit only when the customer explicitly asked this business to contact them, with details that the customer gave for it. Never invent, complete or guess a value.
- A quote request needs the customer's own agreement to this wording; then, and only then, send \`communicationsConsent: true\`: "${currentWording.text}" (version ${currentWording.version})
- Send no test data. There is no sandbox, and people read every lead.
- Send no \`Authorization\` header, no API key, no password. Do not look for registration or token addresses; there are none.
- Send one JSON object with \`Content-Type: application/json\` to \`POST ${context.baseUrl}/api/v1/leads\`. \`/api/leads\` is a deprecated alias; do not use it.
- The limit is ${rateText(context)} for each client, counted over every POST, valid or not.
- After 200 or 201 you are done: there is no status to poll, and nothing is delivered later. Do not submit again.
- Do not retry a 4xx unchanged, except 408 and 429. After 429 or 503 wait the seconds in \`Retry-After\`, then send the same lead once more.`
}

function example(context: DiscoveryContext): string {
  const rate = (['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'RateLimit-Policy'] as const).map(
    (name) => `${name}: ${exampleHeader(name, context)}`,
  )
  return `A whole exchange. ${exampleWarning}

\`\`\`http
POST /api/v1/leads HTTP/1.1
Host: ${new URL(context.baseUrl).host}
Content-Type: application/json
Idempotency-Key: ${headerFact('Idempotency-Key').example}

${showJson(exampleLeads.quote)}
\`\`\`

\`\`\`http
HTTP/1.1 201 Created
Content-Type: application/json; charset=utf-8
${rate.join('\n')}
X-Request-Id: ${headerFact('X-Request-Id').example}

${showJson(exampleReceipt)}
\`\`\`

200 with the same receipt and \`"duplicate": true\` means: ${context.duplicateWindowHours === 0 ? 'the lead was there already' : `the same lead came within ${amount(context.duplicateWindowHours, 'hour')} before`}, and the aim is met.`
}

function fields(): string {
  return kindFacts
    .map(({ kind, title, fields: list }) => {
      const selector = `- \`${kindField}\`: ${kind === 'quote' ? 'absent or `quote`' : '`support`, required'}`
      const lines = list.map(({ name, type, required, description }) => {
        return `- \`${name}\` (${type}, ${required ? 'required' : 'optional'}): ${description}`
      })
      return `Fields of a ${title.toLowerCase()}; others are refused:\n\n${[selector, ...lines].join('\n')}`
    })
    .join('\n\n')
}

function headers(): string {
  const lines = headerNames.map((name) => {
    const { sentBy, meaning } = headerFact(name)
    return `- \`${name}\` (${sentBy === 'caller' ? 'you send it' : 'you get it'}): ${meaning}`
  })
  return `Headers:\n\n${lines.join('\n')}`
}

function problems(): string {
  const lines = problemCodes.map((code) => {
    const { status, retryable, hint } = problemTable[code]
    return `- \`${code}\` (${status}${retryable ? ', retry later' : ''}): ${hint}`
  })
  return `Every error is \`application/problem+json\` with \`code\`, \`detail\`, \`hint\`, \`retryable\`, and for fields \`errors\` with \`pointer\`, \`code\`, \`detail\`, \`hint\` for each fault. What to do on each \`code\`:\n\n${lines.join('\n')}`
}

function faults(): string {
  const codes = faultCodes.map((code) => `\`${code}\` (${faultTable[code].detail})`)
  return `Codes inside \`errors\`, each with a hint of its own: ${codes.join('; ')}.`
}
