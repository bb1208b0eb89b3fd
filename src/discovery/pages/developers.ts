import { prose } from '../content/markdown.ts'
import { list, type Page, paragraph } from '../content/page.ts'
import type { DiscoveryContext } from '../context.ts'

/** `/developers`: what the API is for, and where to start. */
export function createDevelopers({ business }: DiscoveryContext): Page {
  return {
    path: '/developers',
    title: 'Lead Intake API',
    description: `Send ${business.name} a quote request or a message that a customer has authorised.`,
    intro: [],
    sections: [
      {
        id: 'start',
        title: 'Where to start',
        blocks: [
          list(
            prose('[API reference](/api-docs): every field, code, header and limit.'),
            prose('[OpenAPI](/openapi.json): the same for machines.'),
            prose('[llms.txt](/llms.txt): the rules for agents.'),
          ),
        ],
      },
      {
        id: 'security',
        title: 'Security',
        blocks: [paragraph(prose('Report a weakness to {{email}}.', { email: business.email }))],
      },
    ],
  }
}
