import { mailLink } from '../content/mail.ts'
import { code, prose } from '../content/markdown.ts'
import { list, type Page, paragraph } from '../content/page.ts'
import type { DiscoveryContext } from '../context.ts'
import { amount } from '../facts/limits.ts'
import { versionFacts } from './terms.ts'

/** `/privacy`: what is kept, for how long, and how to have it erased. */
export function createPrivacy(context: DiscoveryContext): Page {
  const { business, retentionDays, keyWindowHours, policy } = context
  return {
    title: 'Privacy notice',
    description: `What ${business.name} keeps of a request that reaches it through the Lead Intake API, for how long, and how to have it erased.`,
    intro: [{ kind: 'facts', items: versionFacts(context) }],
    sections: [
      {
        id: 'what',
        title: 'What is kept',
        blocks: [
          {
            kind: 'table',
            caption: 'What is kept of a submission',
            head: ['What', 'Why'],
            rows: [
              [
                prose(
                  'The request: name, phone number, e-mail address, and what the customer said about the home or the question',
                ),
                prose('To answer it.'),
              ],
              [
                prose(
                  'The record of consent: the value of `communicationsConsent`, `consentTimestamp` and `pageUrl` as sent, the time of receipt, the network address and the program that sent the request, the path used, the version of the wording, and a hash of the content',
                ),
                prose('To be able to show that the customer agreed, to what, and when.'),
              ],
              [
                prose('Hashes of the content and of the `Idempotency-Key`'),
                prose('To recognise the same request when it comes again.'),
              ],
            ],
          },
          paragraph(
            prose(
              'The rate limit counts requests by network address, for {{seconds}} at a time. Outside the memory of the service it is a keyed hash only.',
              {
                seconds: amount(policy.windowSeconds, 'second'),
              },
            ),
          ),
        ],
      },
      {
        id: 'not',
        title: 'What is not kept',
        blocks: [
          list(
            prose(
              'No name, address, phone number, e-mail address or message of a customer is in any log, measurement or error.',
            ),
            prose('These pages set no cookies, run no scripts and load nothing from elsewhere.'),
            prose('Credentials that are sent by mistake are neither read nor recorded.'),
            prose('Requests that are refused are not stored.'),
          ),
        ],
      },
      {
        id: 'use',
        title: 'Who uses it',
        blocks: [
          paragraph(
            prose(
              'The staff and the systems of {{name}} that answer requests. Nothing of a request can be read through the public API: it takes requests in, and gives back only a receipt without personal data.',
              business,
            ),
          ),
          paragraph(
            prose(
              'What was given for a request is used for that request. The [terms](/terms#consent) say what consent covers.',
            ),
          ),
        ],
      },
      {
        id: 'retention',
        title: 'How long',
        blocks: [
          paragraph(
            retentionDays === undefined
              ? prose(
                  'The request and the personal part of its record of consent are kept until their [erasure](#erasure) is asked for. There is no automatic erasure.',
                )
              : prose(
                  'The personal data of a request is erased by itself {{days}} after it was received, or earlier when its [erasure](#erasure) is asked for.',
                  {
                    days: amount(retentionDays, 'day'),
                  },
                ),
          ),
          paragraph(
            prose(
              'An `Idempotency-Key` counts for {{hours}}. The part of the record of consent that identifies nobody is kept beyond an erasure, as evidence.',
              {
                hours: amount(keyWindowHours, 'hour'),
              },
            ),
          ),
        ],
      },
      {
        id: 'erasure',
        title: 'How to have it erased',
        blocks: [
          paragraph(
            prose(
              'Write to {{email}} or call {{phone}}, from the address or the number in the request, so that we can be sure that it is yours. If you have the id of the receipt, add it.',
              { email: mailLink(business.email), phone: business.phone },
            ),
          ),
          list(
            prose(
              'Erased are the request and all it says, and from the record of consent the network address, the sending program and `pageUrl`.',
            ),
            prose('The hashes by which a repeated request is recognised are erased as well.'),
            prose(
              'What stays: the id {{id}} and the kind of the lead, the times, and of the record of consent what was agreed to, the version of the wording, the path used and the hash of the content; with it, when and why the rest was erased.',
              {
                id: code('id'),
              },
            ),
          ),
          paragraph(
            prose('In the same way you can ask what is kept about you, have it corrected, or withdraw your consent.'),
          ),
        ],
      },
      {
        id: 'contact',
        title: 'Contact',
        blocks: [
          paragraph(
            prose('{{name}}, {{serviceArea}}. {{phone}}, {{email}}.', { ...business, email: mailLink(business.email) }),
          ),
        ],
      },
    ],
  }
}
