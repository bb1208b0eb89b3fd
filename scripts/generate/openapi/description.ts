import { parse } from 'yaml'
import { faultCodes } from '../../../src/lead/fault-table.ts'
import { leadRules } from '../../../src/lead/rules.ts'
import { problemMediaType } from '../../../src/problem/document.ts'
import { type ProblemCode, problemCodes, problemTable } from '../../../src/problem/table.ts'
import { aliasPath, leadsPath } from '../../../src/public-paths.ts'
import { commentOf } from '../comments.ts'
import { fillContent, withoutTagBullets } from '../content.ts'
import { duplicateReceipt, exampleLeads, exampleProblem, exampleReceipt, numbersIn } from '../facts/examples.ts'
import { type Header, headers, rateHeaders } from '../facts/headers.ts'
import { aliasCodes, headersOf, otherCodes, submissionCodes } from '../facts/problems.ts'
import { createLeadSchemas } from './lead-schemas.ts'

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
  const { schemas, responses, parameters, requestBodies } = api.components
  const { AliasStored, ...stored } = responses
  const components = {
    schemas: { ...createLeadSchemas(), ...schemas },
    headers: Object.assign({}, ...Object.entries(headers).map(([name, header]) => whereSent(name, describe(header)))),
    responses: {
      ...stored,
      ...problemResponses('Lead'),
      AliasStored,
      ...problemResponses('Alias'),
      OtherProblem: problemResponse(otherCodes),
    },
    parameters,
    requestBodies,
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
    duplicate: duplicateReceipt,
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
function describe({ standard, example, ...header }: Header): object | undefined {
  if (!header.schema) return undefined
  return { ...header, example: header.schema.type === 'integer' ? example.replace('{{', '{{number:') : example }
}

/** A member named after a header, in a section if only some deployments send it. Another member must follow. */
function whereSent(name: string, value: object | undefined): object {
  return name === 'Sunset' ? { '{{#removal}}': null, [name]: value, '{{/removal}}': null } : { [name]: value }
}

const headerRefs = (names: readonly string[]) =>
  Object.assign({}, ...names.map((name) => whereSent(name, ref('headers', name))))

/** Problems and headers that operations have in common, by the prefix of their names in `components.responses`. */
const families = {
  Lead: { codes: submissionCodes, headers: rateHeaders },
  Alias: { codes: aliasCodes, headers: ['X-Request-Id', ...rateHeaders, 'Deprecation', 'Sunset', 'Link'] },
} as const
type Prefix = keyof typeof families

/** The problems of a family as shared answers: one for each status, with an example for each code. */
function problemResponses(prefix: Prefix): Record<string, object> {
  const { codes, headers } = families[prefix]
  const byStatus = Object.entries(Object.groupBy(codes, (code) => problemTable[code].status))
  // What Node's parser refuses has no path, and is not counted.
  const answer = (status: string, own: ProblemCode[] = []) => problemResponse(own, status === '431' ? [] : headers)
  return Object.fromEntries(byStatus.map(([status, own]) => [`${prefix}${status}`, answer(status, own)]))
}

/** References to the problems of an operation, by status. */
function problemsOf(path: string): Record<string, object> {
  const other = ref('responses', 'OtherProblem')
  if (path !== leadsPath && path !== aliasPath) return { '4XX': other, default: other }
  const prefixes: Prefix[] = path === leadsPath ? ['Lead'] : ['Lead', 'Alias']
  const refsOf = (prefix: Prefix) =>
    families[prefix].codes
      .map((code) => problemTable[code].status)
      .map((status) => [status, ref('responses', `${prefix}${status}`)])
  return { ...Object.fromEntries(prefixes.flatMap(refsOf)), default: other }
}

function problemResponse(codes: readonly ProblemCode[], headers: readonly string[] = []): object {
  return {
    description: codes.map((code) => `\`${code}\`: ${problemTable[code].title}.`).join(' '),
    headers: [...new Set([...headers, ...codes.flatMap(headersOf)])],
    content: {
      [problemMediaType]: {
        schema: ref('schemas', 'Problem'),
        // The page of each code has an example. One is enough here.
        ...(codes.includes('validation_failed') && { example: exampleProblem('validation_failed') }),
      },
    },
  }
}
