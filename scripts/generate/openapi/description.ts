import { parse } from 'yaml'
import { leadRules } from '../../../src/lead/rules.ts'
import { type ProblemCode, problemCodes, problemTable } from '../../../src/problem/table.ts'
import { leadsPath, legacyPath } from '../../../src/public-paths.ts'
import { commentOf } from '../comments.ts'
import { fillContent, withoutTagBullets } from '../content.ts'
import { exampleLeads, exampleReceipt, numbersIn } from '../facts/examples.ts'
import { type Header, headers } from '../facts/headers.ts'
import { otherCodes, submissionCodes } from '../facts/problems.ts'
import { faultCodes } from '../facts/tables.ts'
import { createLeadSchema } from './lead-schemas.ts'

/** The parts of content/openapi.yaml that are completed here. */
interface Draft {
  paths: Record<string, Record<string, { responses: Record<string, object> }>>
  components: Record<'schemas' | 'responses' | 'parameters' | 'requestBodies', Record<string, object>>
}

/** `/openapi.json`: the public API in OpenAPI 3.1, with placeholders. Nothing internal is in it. */
export function createOpenApi(): string {
  const api = readDraft()
  for (const [path, operations] of Object.entries(api.paths))
    for (const { responses } of Object.values(operations)) Object.assign(responses, problemsOf(path))
  const { schemas, ...shared } = api.components
  const components = {
    schemas: { Lead: createLeadSchema(), ...schemas },
    headers: Object.assign({}, ...Object.entries(headers).map(([name, header]) => whereSent(name, describe(header)))),
    ...shared,
  }
  const json = JSON.stringify(
    { ...api, components },
    (key, value) => (key === 'headers' && Array.isArray(value) ? headerRefs(value) : value),
    1,
  )
  // A member between two section tags is there if the deployment has the setting.
  return numbersIn(json)
    .replace(/"(\{\{[#/]\w+\}\})": null,/g, '$1')
    .replace(/(\{\{[#/]\w+\}\})\\n/g, '$1')
}

function readDraft(): Draft {
  const required = leadRules.quote.filter((rule) => rule.required).map(({ name }) => name)
  const facts: Record<string, unknown> = {
    problemCodes,
    faultCodes,
    quote: Object.fromEntries(required.map((name) => [name, exampleLeads.quote[name]])),
    contact: exampleLeads.support,
    receipt: exampleReceipt,
    id: exampleReceipt.id,
    time: exampleReceipt.receivedAt,
    otherProblems: namesOf(otherCodes),
  }
  return parse(withoutTagBullets(fillContent('openapi.yaml')), {
    customTags: [
      { tag: '!comment', resolve: commentOf },
      {
        tag: '!fact',
        resolve: (name: string, onError: (message: string) => void) => facts[name] ?? onError(`no fact ${name}`),
      },
    ],
  })
}

const ref = (kind: 'headers' | 'responses' | 'schemas', name: string) => ({
  $ref: `#/components/${kind}/${name}`,
})

/** OpenAPI leaves out what is for browsers. */
function describe({ sent, example, ...header }: Header): object | undefined {
  if (!header.schema) return undefined
  return header.schema.type === 'integer' ? header : { ...header, example }
}

/** A member named after a header, in a section if only some deployments send it. Another member must follow. */
function whereSent(name: string, value: object | undefined): object {
  return name === 'Sunset' ? { '{{#removal}}': null, [name]: value, '{{/removal}}': null } : { [name]: value }
}

const headerRefs = (names: readonly string[]) =>
  Object.assign({}, ...names.map((name) => whereSent(name, ref('headers', name))))

const namesOf = (codes: readonly ProblemCode[]) => codes.map((code) => `\`${code}\``).join(', ')

/** The shared answer of the problems with a status, if it is not `LeadProblem`. */
const ownAnswers: Readonly<Record<string, string>> = {
  429: 'LaterProblem',
  // What Node's parser refuses has no path, and is not counted.
  431: 'OtherProblem',
  503: 'LaterProblem',
}

/** References to the problems of an operation, by status. Those of the alias have no descriptions of their own. */
function problemsOf(path: string): Record<string, object> {
  const other = ref('responses', 'OtherProblem')
  if (path !== leadsPath && path !== legacyPath) return { default: other }
  const byStatus = Object.entries(Object.groupBy(submissionCodes, (code) => problemTable[code].status))
  const answers = byStatus.map(([status, codes = []]) => {
    const answer = ref('responses', ownAnswers[status] ?? 'LeadProblem')
    return [status, path === leadsPath ? { ...answer, description: namesOf(codes) } : answer]
  })
  return { ...Object.fromEntries(answers), default: other }
}
