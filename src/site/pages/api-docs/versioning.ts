import { code, prose } from '../../content/markdown.ts'
import { list, paragraph, type Section } from '../../content/page.ts'
import type { DiscoveryContext } from '../../context.ts'
import { longDate } from '../../facts/dates.ts'

/** Versions, and the policy that the alias's `deprecation` and `sunset` links lead to. */
export function versioningSection(context: DiscoveryContext): Section {
  const { legacy, baseUrl, now } = context
  const { deprecatedAt, sunset } = legacy
  const links = [
    `<${baseUrl}/api/v1/leads>; rel="successor-version"`,
    `<${baseUrl}/api-docs#deprecation>; rel="deprecation"; type="text/html"`,
    ...(sunset ? [`<${baseUrl}/api-docs#deprecation>; rel="sunset"; type="text/html"`] : []),
  ]
  const removal = !sunset
    ? prose('No removal is scheduled, so there is no `Sunset` header.')
    : now() < sunset.at.getTime()
      ? prose(
          'Its removal was announced on {{announced}} and is scheduled for {{at}}. Until then it works as before; every answer carries that moment in `Sunset`.',
          {
            announced: longDate(sunset.announcedAt),
            at: longDate(sunset.at),
          },
        )
      : prose(
          'It was announced on {{announced}} to be removed, and was removed on {{at}}. Every request to it is answered with 410 {{code}}.',
          {
            announced: longDate(sunset.announcedAt),
            at: longDate(sunset.at),
            code: code('version_removed'),
          },
        )
  return {
    id: 'versioning',
    title: 'Versions',
    blocks: [
      paragraph(
        prose(
          'The version is part of the path. This is v1: `/api/v1/…`. A breaking change gets a new major version in the path, for example `/api/v2/leads`.',
        ),
      ),
      paragraph(prose('What may change within v1, without notice, and must not break your client:')),
      list(
        prose('new optional fields, new members of an answer, new headers;'),
        prose('new problem codes and field codes: treat an unknown one by its `status` and `retryable`;'),
        prose('the words of `title`, `detail` and `hint`.'),
      ),
      paragraph(prose('At least **365 days** of notice are given before a public version is removed.')),
    ],
    sections: [
      {
        id: 'deprecation',
        title: 'The deprecated path',
        blocks: [
          paragraph(
            prose(
              '`POST /api/leads`, without a version, is kept for older website forms of the business. It has been deprecated since {{date}}. Use `/api/v1/leads` instead: the body, the answers and the rate-limit budget are the same.',
              {
                date: longDate(deprecatedAt),
              },
            ),
          ),
          paragraph(removal),
          list(
            prose('`Deprecation` (RFC 9745): since when, in seconds since 1970.'),
            prose(
              '`Link` (RFC 8288): `successor-version` leads to the path to use instead, `deprecation` to this section.',
            ),
            prose(
              '`Sunset` (RFC 8594): when it will be removed, once that is scheduled. At least 365 days before, this page says so.',
            ),
          ),
        ],
        examples: [
          {
            kind: 'code',
            language: 'http',
            label: 'On every answer of /api/leads',
            source: [
              `Deprecation: @${Math.floor(deprecatedAt.getTime() / 1000)}`,
              ...(sunset ? [`Sunset: ${sunset.at.toUTCString()}`] : []),
              `Link: ${links.join(',\n  ')}`,
            ].join('\n'),
          },
        ],
      },
    ],
  }
}
