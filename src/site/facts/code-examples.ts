import type { Code } from '../content/page.ts'
import type { DiscoveryContext } from '../context.ts'
import { exampleKey, exampleLeads, exampleReceipt, showJson } from './examples.ts'
import type { HeaderName } from './headers.ts'
import { rateHeaders } from './operations.ts'
import { exampleHeader } from './problem-examples.ts'

function curl({ baseUrl }: DiscoveryContext): string {
  return `curl -i ${baseUrl}/api/v1/leads \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: "${exampleKey}"' \\
  -d '${showJson(exampleLeads.quote)}'`
}

function typescript({ baseUrl }: DiscoveryContext): string {
  return `const lead = ${showJson(exampleLeads.quote)}

// One key for one lead: every attempt below sends the same one.
const key = crypto.randomUUID()

for (let attempt = 1; ; attempt++) {
  const response = await fetch('${baseUrl}/api/v1/leads', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': \`"\${key}"\` },
    body: JSON.stringify(lead),
  })
  const answer = await response.json()
  if (response.ok) {
    console.log('stored as', answer.id)
    break
  }
  if (!answer.retryable || attempt === 3) {
    console.error(answer.code, answer.hint, answer.errors ?? [])
    break
  }
  const seconds = Number(response.headers.get('Retry-After') ?? 2)
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}`
}

function python({ baseUrl }: DiscoveryContext): string {
  const lead = showJson(exampleLeads.quote).replace(/\btrue\b/g, 'True')
  return `import json, time, uuid
from urllib.error import HTTPError
from urllib.request import Request, urlopen

lead = ${lead}

# One key for one lead: every attempt below sends the same one.
headers = {
    "Content-Type": "application/json",
    "Idempotency-Key": f'"{uuid.uuid4()}"',
}

for attempt in (1, 2, 3):
    request = Request("${baseUrl}/api/v1/leads", json.dumps(lead).encode(), headers)
    try:
        with urlopen(request) as response:
            print("stored as", json.load(response)["id"])
            break
    except HTTPError as error:
        problem = json.load(error)
        if not problem["retryable"] or attempt == 3:
            print(problem["code"], problem["hint"], problem.get("errors", []))
            break
        time.sleep(int(error.headers.get("Retry-After", 2)))`
}

/** One submission in three languages, complete and ready to run but for the customer's details. */
export function submissionExamples(context: DiscoveryContext): readonly [curl: Code, typescript: Code, python: Code] {
  return [
    { kind: 'code', language: 'shell', label: 'curl', source: curl(context) },
    { kind: 'code', language: 'typescript', label: 'TypeScript', source: typescript(context) },
    { kind: 'code', language: 'python', label: 'Python', source: python(context) },
  ]
}

/** A whole answer to a submission that was taken, as it is on the wire. */
export function receiptAnswer(
  context: DiscoveryContext,
  { status, headers = [], more = {} }: { status: string; headers?: readonly HeaderName[]; more?: object },
): string {
  const names: readonly HeaderName[] = [...headers, ...rateHeaders, 'X-Request-Id']
  return [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    ...names.map((name) => `${name}: ${exampleHeader(name, context)}`),
    '',
    showJson({ ...exampleReceipt, ...more }),
  ].join('\n')
}
