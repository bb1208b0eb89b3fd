import { mailLink } from '../content/mail.ts'
import { code, prose } from '../content/markdown.ts'
import { list, type Page, paragraph, type Section, steps } from '../content/page.ts'
import type { DiscoveryContext } from '../context.ts'
import { receiptAnswer, submissionExamples } from '../facts/code-examples.ts'
import { rateText } from '../facts/limits.ts'

/** `/developers`: what the API is for, and where to start. */
export function createDevelopers(context: DiscoveryContext): Page {
  return {
    title: 'Bring a customer and the business together',
    description: `The Lead Intake API takes quote requests and messages to ${context.business.name} that a customer has asked for. One request, no account, a clear answer.`,
    intro: [
      {
        kind: 'cards',
        items: [
          {
            href: '/api-docs',
            title: 'API reference',
            text: prose('Every field, code, header and limit, with examples.'),
          },
          {
            href: '/openapi.json',
            title: 'OpenAPI 3.1',
            text: prose('The same for tools: schemas, statuses, examples.'),
          },
          {
            href: '/llms.txt',
            title: 'llms.txt',
            text: prose('The rules and a worked example for agents, on one page.'),
          },
          { href: '/problems', title: 'Problems', text: prose('What each error means and what to do about it.') },
        ],
      },
    ],
    sections: [
      howItWorks(context),
      rules(context),
      agents(),
      websiteForms(),
      boundaries(),
      support(context),
      security(context),
    ],
  }
}

function howItWorks(context: DiscoveryContext): Section {
  const [curl] = submissionExamples(context)
  return {
    id: 'how-it-works',
    title: 'How it works',
    blocks: [
      steps(
        prose('A customer asks for a cleaning quote, or has a question, and agrees to be contacted.'),
        prose('You send what they said to `POST /api/v1/leads`, as one JSON object.'),
        prose('The answer is 201 with an id. From that moment the lead is stored for good.'),
        prose('The business contacts the customer. There is nothing to poll and nothing to wait for.'),
      ),
      paragraph(
        prose(
          'If something is wrong, the answer says what and what to do: a stable `code`, a `hint`, and in `errors` every field at fault at once. Sending the same lead twice never makes two.',
        ),
      ),
    ],
    examples: [
      curl,
      { kind: 'code', language: 'http', label: 'Answer', source: receiptAnswer(context, { status: '201 Created' }) },
    ],
  }
}

function rules(context: DiscoveryContext): Section {
  return {
    id: 'rules',
    title: 'Before you send anything',
    blocks: [
      list(
        prose(
          'The customer **asked for it**: this business, these details, now. Nothing unsolicited, nothing bought, nothing guessed.',
        ),
        prose(
          'For a quote request the customer agreed to the [consent wording](/terms#consent). Nobody can agree for them.',
        ),
        prose('**No test leads.** There is no sandbox; people read every lead. Reserved test data is refused.'),
        prose('**No credentials.** There are none, and a request that carries some is refused.'),
        prose('At most {{rate}} for each client.', { rate: rateText(context) }),
      ),
      paragraph(
        prose('The [terms](/terms) say it in full, and the [privacy notice](/privacy) says what becomes of the data.'),
      ),
    ],
  }
}

function agents(): Section {
  return {
    id: 'agents',
    title: 'If you are an agent',
    blocks: [
      steps(
        prose('Start at the [API catalog](/.well-known/api-catalog), or read [llms.txt](/llms.txt).'),
        prose(
          'Take the schema from the [OpenAPI description](/openapi.json), and ask your customer for what it requires.',
        ),
        prose('Show the customer the consent wording, and what you are about to send.'),
        prose('Send it once. On an error, correct what `errors` lists by its `hint`, and send once more.'),
        prose('Tell the customer the outcome. Do not submit again after 200 or 201.'),
      ),
      paragraph(prose('Each page here is also Markdown: ask with `Accept: text/markdown`.')),
    ],
  }
}

function websiteForms(): Section {
  return {
    id: 'website-forms',
    title: 'If you run a website form of the business',
    blocks: [
      list(
        prose('Have the origin of the page listed; then scripts on it can [read the answers](/api-docs#cors).'),
        prose('Show each entry of `errors` beside the field that its `pointer` names.'),
        prose('On 429, tell the customer how long to wait: `Retry-After` has the seconds.'),
        prose('Forms that still post to `/api/leads` go on working; see [the deprecated path](/api-docs#deprecation).'),
      ),
    ],
  }
}

function boundaries(): Section {
  return {
    id: 'boundaries',
    title: 'What it is not',
    blocks: [
      paragraph(
        prose(
          'The API takes leads, and does nothing else. It has no sandbox, no API keys, no command-line tool, no SDK, no MCP server and no webhooks, and it gives no access to records of customers, cleaners, schedules, payments or visits.',
        ),
      ),
    ],
  }
}

function support({ business }: DiscoveryContext): Section {
  return {
    id: 'support',
    title: 'Help',
    blocks: [
      paragraph(
        prose(
          'Write to {{email}} or call {{phone}}. When you report a fault, give the value of `instance` or of the `X-Request-Id` header: it leads us to the request, and it has no personal data.',
          { email: mailLink(business.email), phone: business.phone },
        ),
      ),
      paragraph(prose('Whether leads are taken right now: [service status](/api/v1).')),
    ],
  }
}

function security({ business }: DiscoveryContext): Section {
  return {
    id: 'security',
    title: 'Reporting a weakness',
    blocks: [
      paragraph(
        prose(
          'If you found a weakness in this service, write to {{email}}; {{file}} has the same address for tools. Please do not use the personal data of others, and do not send test leads, to show it.',
          { email: mailLink(business.email), file: code('/.well-known/security.txt') },
        ),
      ),
    ],
  }
}
