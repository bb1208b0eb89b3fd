import { sha256 } from '../../lead/fingerprint.ts'
import { currentWording, wordings } from '../../lead/terms.ts'
import { mailLink } from '../content/mail.ts'
import { code, plain, prose } from '../content/markdown.ts'
import { list, type Page, paragraph, type Section } from '../content/page.ts'
import type { DiscoveryContext } from '../context.ts'
import { longDate } from '../facts/dates.ts'
import { amount, grouped, rateText } from '../facts/limits.ts'

/** `/terms`: what may be submitted, and what consent covers. Its version is the one that consent records name. */
export function createTerms(context: DiscoveryContext): Page {
  const { business } = context
  return {
    title: 'Terms of use',
    description: `What may be submitted to ${business.name} through the Lead Intake API, and what a customer's consent covers.`,
    intro: [{ kind: 'facts', items: versionFacts(context) }],
    sections: [
      {
        id: 'submissions',
        title: 'What may be submitted',
        blocks: [
          paragraph(
            prose(
              'A submission is made only when the customer has explicitly asked {{name}} to contact them. It holds what the customer gave for this purpose, and nothing else.',
              business,
            ),
          ),
          paragraph(prose('These must not be submitted:')),
          list(
            prose('test leads, and invented or guessed details;'),
            prose('leads that the customer did not ask for, or asked somebody else for;'),
            prose('details from lists, directories or earlier contacts;'),
            prose('the same request again after it was taken;'),
            prose(
              'passwords, payment details, identity documents, and anything about health or other people that the request does not need.',
            ),
          ),
        ],
      },
      consentSection(),
      {
        id: 'callers',
        title: 'Who may call',
        blocks: [
          paragraph(
            prose(
              'Anyone who acts for a customer: a person, a program or an agent. No account is needed, and none exists. Whoever calls answers for having the request and the consent of the customer.',
            ),
          ),
          list(
            prose('Send no credentials of yours or of the customer.'),
            prose('Do not look for addresses that the [API catalog](/.well-known/api-catalog) does not list.'),
            prose(
              'Keep to the limits: {{rate}} for each client, {{bytes}} for each body. They may become stricter while the service is under strain.',
              {
                rate: rateText(context),
                bytes: amount(context.bodyMaxBytes, 'byte'),
              },
            ),
            prose('Clients that work around the limits, or send what must not be submitted, may be shut out.'),
          ),
        ],
      },
      {
        id: 'outcome',
        title: 'What a submission brings',
        blocks: [
          paragraph(
            prose(
              'A receipt means that the request is stored and that the business will look at it. It is not a booking, a price or a contract. The business decides whether and how it answers.',
            ),
          ),
        ],
      },
      {
        id: 'changes',
        title: 'Changes',
        blocks: [
          paragraph(
            prose(
              'Each version of these terms has a date, and applies to what is submitted from that day on. At least 365 days of notice are given before a version of the API is removed; see [versions](/api-docs#versioning).',
            ),
          ),
          paragraph(
            prose('Questions: {{email}}, {{phone}}.', { email: mailLink(business.email), phone: business.phone }),
          ),
        ],
      },
    ],
  }
}

/** The version that the terms and the privacy notice have in common. */
export function versionFacts({ business }: DiscoveryContext): [string, ReturnType<typeof plain>][] {
  return [
    ['Version', code(currentWording.version)],
    ['In force since', plain(longDate(new Date(currentWording.version)))],
    ['Business', prose('{{name}}, {{serviceArea}}', business)],
  ]
}

function consentSection(): Section {
  const earlier = wordings.slice(0, -1)
  return {
    id: 'consent',
    title: 'The consent of the customer',
    blocks: [
      paragraph(
        prose(
          'A quote request is taken only with `communicationsConsent` set to `true`. That value says that the customer has read this wording and agreed to it:',
        ),
      ),
      { kind: 'quote', text: plain(currentWording.text) },
      paragraph(
        prose(
          'It covers calls, text messages and e-mail of this business about the request, to the phone number and the e-mail address in it. It covers no advertising, no passing on to others, and no other request.',
        ),
      ),
      list(
        prose('The customer decides. A program, an agent or a box that is ticked beforehand cannot.'),
        prose('No purchase depends on it.'),
        prose('It can be withdrawn at any time by telling the business, in any way.'),
        prose('A contact message has no consent field: the customer asks for an answer, and gets that answer only.'),
      ),
      paragraph(
        prose(
          'With every lead, the version and the SHA-256 of the wording in force are recorded, so that it can be shown later what was agreed to.',
        ),
      ),
    ],
    sections: [
      {
        id: 'wordings',
        title: 'Versions of the wording',
        blocks: [
          {
            kind: 'entries',
            items: wordings.toReversed().map(({ version, text }) => ({
              id: `wording-${version}`,
              name: version,
              tags: version === currentWording.version ? ['in force'] : [],
              body: [plain(text), prose('SHA-256: {{hash}}', { hash: code(sha256(text)) })],
            })),
          },
          ...(earlier.length > 0
            ? [
                paragraph(
                  prose('{{count}} earlier versions stay here, since records name them.', {
                    count: grouped(earlier.length),
                  }),
                ),
              ]
            : []),
        ],
      },
    ],
  }
}
