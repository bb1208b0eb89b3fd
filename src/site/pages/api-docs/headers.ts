import { code, codes, plain, prose } from '../../content/markdown.ts'
import { type Entry, list, paragraph, type Section } from '../../content/page.ts'
import type { DiscoveryContext } from '../../context.ts'
import { type HeaderFact, type HeaderName, headerFact, headerNames } from '../../facts/headers.ts'
import { exampleHeader } from '../../facts/problem-examples.ts'

/** Every header, by who sends it. */
export function headersSection(context: DiscoveryContext): Section {
  const entry = (name: HeaderName): Entry => {
    const { where, meaning, standard } = headerFact(name)
    return {
      id: `header-${name.toLowerCase()}`,
      name,
      tags: standard ? [standard] : [],
      body: [
        prose(`${meaning} On ${where}.`),
        prose('Example: {{example}}', { example: code(exampleHeader(name, context)) }),
      ],
    }
  }
  const entries = (sentBy: HeaderFact['sentBy']) => ({
    kind: 'entries' as const,
    items: headerNames.filter((name) => headerFact(name).sentBy === sentBy).map(entry),
  })
  return {
    id: 'headers',
    title: 'Headers',
    blocks: [],
    sections: [
      { id: 'request-headers', title: 'Headers that you send', blocks: [entries('caller')] },
      { id: 'response-headers', title: 'Headers that you get', blocks: [entries('service')] },
      {
        id: 'drafts',
        title: 'Which drafts these follow',
        blocks: [
          paragraph(
            prose(
              'Two families of headers are not standards yet, and later drafts changed their form. This API follows one revision of each and will not change it within v1:',
            ),
          ),
          list(
            prose(
              '`RateLimit-*`: draft-ietf-httpapi-ratelimit-headers-06, the last one with four separate fields. There is no field named `RateLimit`, and no `X-RateLimit-*`.',
            ),
            prose('`Idempotency-Key`: draft-ietf-httpapi-idempotency-key-header-07.'),
          ),
        ],
      },
    ],
  }
}

/** What browsers may do. */
export function corsSection({ corsOrigins }: DiscoveryContext): Section {
  return {
    id: 'cors',
    title: 'Browsers and CORS',
    blocks: [
      paragraph(
        prose(
          'Only the website forms of the business send leads from a browser. Their origins are listed by name; a page of another origin cannot read the answer. Programs outside a browser are not affected.',
        ),
      ),
      list(
        corsOrigins.length === 0
          ? prose('This deployment lists no origin.')
          : prose('Origins of this deployment: {{origins}}.', { origins: codes(corsOrigins) }),
        prose(
          'Preflight requests are answered with 204, allow `POST` with the headers `content-type` and `idempotency-key`, and may be kept for two hours.',
        ),
        prose(
          'Scripts can read the rate-limit headers, `Retry-After`, `Deprecation`, `Sunset`, `Link`, `Idempotency-Replayed` and `X-Request-Id`, on errors too.',
        ),
        prose('Cookies and credentials play no part.'),
        prose('The catalog, the OpenAPI description and `llms.txt` can be read from every origin.'),
      ),
      paragraph(
        plain(
          'A content type other than application/json is refused, so a plain HTML form cannot post here without a script.',
        ),
      ),
    ],
  }
}
