import { currentWordingSha256, wordings } from '../../lead/terms.ts'
import { code, plain, prose } from '../content/markdown.ts'
import { type Page, paragraph } from '../content/page.ts'
import type { DiscoveryContext } from '../context.ts'

/** `/terms`: what may be submitted, and what consent covers. */
export function createTerms({ business }: DiscoveryContext): Page {
  return {
    path: '/terms',
    title: 'Terms',
    description: `What may be submitted to ${business.name}, and what consent covers.`,
    intro: [],
    sections: [
      {
        id: 'consent',
        title: 'Consent',
        blocks: [
          ...wordings.flatMap(({ version, text }) => [
            paragraph(prose('Version {{version}}:', { version })),
            { kind: 'quote' as const, text: plain(text) },
          ]),
          paragraph(prose('SHA-256: {{hash}}', { hash: code(currentWordingSha256) })),
        ],
      },
    ],
  }
}
