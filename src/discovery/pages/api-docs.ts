import { plain, prose } from '../content/markdown.ts'
import { type Page, paragraph } from '../content/page.ts'
import type { DiscoveryContext } from '../context.ts'
import { kindFacts } from '../facts/fields.ts'

/** `/api-docs`: the reference for people. */
export function createApiDocs(_context: DiscoveryContext): Page {
  return {
    path: '/api-docs',
    title: 'API reference',
    description: 'Every field, code, header and limit.',
    intro: [],
    sections: [
      ...kindFacts.map(({ kind, title, fields }) => ({
        id: `fields-${kind}`,
        title,
        blocks: [
          {
            kind: 'table' as const,
            caption: title,
            head: ['Field', 'Meaning'],
            rows: fields.map(({ name, description }) => [plain(name), prose(description)]),
          },
        ],
      })),
      { id: 'deprecation', title: 'Deprecation', blocks: [paragraph(prose('`/api/leads` is deprecated.'))] },
    ],
  }
}
