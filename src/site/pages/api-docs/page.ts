import { code, prose } from '../../content/markdown.ts'
import { list, note, type Page, paragraph, type Section, steps } from '../../content/page.ts'
import type { DiscoveryContext } from '../../context.ts'
import { receiptAnswer, submissionExamples } from '../../facts/code-examples.ts'
import { exampleWarning } from '../../facts/examples.ts'
import { documentOperations } from '../../facts/operations.ts'
import { errorsSection } from './errors.ts'
import { corsSection, headersSection } from './headers.ts'
import { idempotencySection, limitsSection } from './limits.ts'
import { submitSection } from './submit.ts'
import { versioningSection } from './versioning.ts'

/** `/api-docs`: the reference for people. */
export function createApiDocs(context: DiscoveryContext): Page {
  return {
    title: 'API reference',
    description: `How to hand ${context.business.name} a lead that a customer has authorised: every field, code, header and limit.`,
    intro: [
      {
        kind: 'facts',
        items: [
          ['Base URL', code(context.baseUrl)],
          ['Version', prose('v1, in the path')],
          ['Credentials', prose('none, and none are accepted')],
          ['Format', prose('JSON in UTF-8; every error is `application/problem+json`')],
          [
            'For machines',
            prose('[OpenAPI 3.1](/openapi.json), [llms.txt](/llms.txt), this page with `Accept: text/markdown`'),
          ],
        ],
      },
    ],
    sections: [
      quickstartSection(context),
      endpointsSection(),
      authenticationSection(),
      submitSection(context),
      errorsSection(context),
      limitsSection(context),
      idempotencySection(context),
      headersSection(context),
      corsSection(context),
      versioningSection(context),
      statusSection(context),
    ],
  }
}

function quickstartSection(context: DiscoveryContext): Section {
  return {
    id: 'quickstart',
    title: 'Quickstart',
    blocks: [
      steps(
        prose('Make sure that the customer **asked to be contacted** by this business and gave these details for it.'),
        prose(
          'For a quote request, show them the [consent wording](/terms#consent), and send `communicationsConsent: true` only when they agreed.',
        ),
        prose('Send one request. 201 means that the lead is stored for good.'),
        prose('On an error, read `code` and `hint`, correct what `errors` lists, and send once more.'),
      ),
      note('Before you run it.', prose(exampleWarning)),
    ],
    examples: [
      { kind: 'choice', name: 'submit', items: submissionExamples(context) },
      { kind: 'code', language: 'http', label: 'Answer', source: receiptAnswer(context, { status: '201 Created' }) },
    ],
  }
}

function endpointsSection(): Section {
  return {
    id: 'endpoints',
    title: 'Endpoints',
    blocks: [
      {
        kind: 'table',
        caption: 'Every address of the API',
        head: ['Request', 'Purpose'],
        rows: [
          [code('POST /api/v1/leads'), prose('[Submit](#submit) a quote request or a contact message.')],
          [code('POST /api/leads'), prose('The same; [deprecated](#deprecation).')],
          [prose('[`GET /api/v1`](/api/v1)'), prose('[Status](#status), limits and links.')],
          ...documentOperations.map(({ path, description }) => [
            prose(`[\`GET ${path}\`](${path})`),
            prose(description),
          ]),
        ],
      },
      paragraph(
        prose(
          'Everything that can be read with `GET` answers `HEAD` as well; the lead paths answer `OPTIONS`. Another path is 404 `not_found`, another method 405 `method_not_allowed`. Documents carry an `ETag` and may be cached for an hour.',
        ),
      ),
    ],
  }
}

function authenticationSection(): Section {
  return {
    id: 'authentication',
    title: 'Authentication',
    blocks: [
      paragraph(
        prose(
          'There is none. What authorises a submission is the request and the consent of the customer, not a credential of the caller.',
        ),
      ),
      list(
        prose('No account, registration, API key or token exists. Do not look for their addresses: there are none.'),
        prose(
          '`Authorization`, `Proxy-Authorization` and `X-API-Key` are refused with 400 {{code}}, and what they hold reaches no log.',
          {
            code: code('credentials_not_accepted'),
          },
        ),
        prose('Never send a password or an identity document of a customer.'),
      ),
    ],
  }
}

function statusSection({ baseUrl }: DiscoveryContext): Section {
  return {
    id: 'status',
    title: 'Service status',
    blocks: [
      paragraph(
        prose(
          '[`GET /api/v1`](/api/v1) tells whether leads are taken now. It never counts against the rate limit, and there is no need to ask before a submission.',
        ),
      ),
      {
        kind: 'table',
        caption: 'The values of status',
        head: ['Status', 'Meaning'],
        rows: [
          [code('operational'), prose('Everything works.')],
          [code('degraded'), prose('Leads are taken; the rate limit may be lower for a while.')],
          [code('unavailable'), prose('Leads cannot be stored now. Try again later.')],
        ],
      },
    ],
    examples: [{ kind: 'code', language: 'shell', label: 'curl', source: `curl ${baseUrl}/api/v1` }],
  }
}
