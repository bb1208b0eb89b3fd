import { prose } from '../content/markdown.ts'
import { type Page, paragraph } from '../content/page.ts'
import type { DiscoveryContext } from '../context.ts'

/** `/privacy`: what is kept, for how long, and how to have it erased. */
export function createPrivacy({ business }: DiscoveryContext): Page {
  return {
    path: '/privacy',
    title: 'Privacy',
    description: `What ${business.name} keeps of a lead, and for how long.`,
    intro: [],
    sections: [
      {
        id: 'erasure',
        title: 'Erasure',
        blocks: [paragraph(prose('Write to {{email}} to have your data erased.', { email: business.email }))],
      },
    ],
  }
}
