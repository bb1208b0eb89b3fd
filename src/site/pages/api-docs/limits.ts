import { code, plain, prose } from '../../content/markdown.ts'
import { list, paragraph, type Section } from '../../content/page.ts'
import type { DiscoveryContext } from '../../context.ts'
import { receiptAnswer } from '../../facts/code-examples.ts'
import { amount, limitFacts } from '../../facts/limits.ts'
import { exampleProblemAnswer } from '../../facts/problem-examples.ts'

/** Every limit, and how submissions are counted. */
export function limitsSection(context: DiscoveryContext): Section {
  const { limit, windowSeconds } = context.policy
  return {
    id: 'limits',
    title: 'Limits',
    blocks: [
      {
        kind: 'table',
        caption: 'Every limit',
        head: ['Limit', 'Value', 'Meaning'],
        rows: limitFacts(context).map(({ name, value, meaning }) => [plain(name), plain(value), meaning]),
      },
    ],
    sections: [
      {
        id: 'rate-limit',
        title: 'How submissions are counted',
        blocks: [
          list(
            prose(
              'Every `POST` to `/api/v1/leads` or `/api/leads` counts, whether it is valid or not; both paths share one budget. `GET`, `HEAD` and `OPTIONS` never count.',
            ),
            prose(
              'A client is an IPv4 address, or the /64 network of an IPv6 address. Callers behind one address share its budget.',
            ),
            prose(
              'The window is fixed. It starts with the first request of a client and ends {{seconds}} later; then the budget is full again. Around the end of a window up to {{most}} requests can therefore pass within a short time.',
              { seconds: amount(windowSeconds, 'second'), most: 2 * limit - 1 },
            ),
            prose('Request {{next}} is refused with {{code}} before its body is read.', {
              next: limit + 1,
              code: code('rate_limited'),
            }),
            prose(
              'While the service is `degraded` (see [service status](#status)), the limit may be lower for a while. The headers always carry the numbers that are enforced.',
            ),
          ),
          paragraph(
            prose(
              'Every answer to a submission, whatever its status, has `RateLimit-Limit`, `RateLimit-Remaining`, `RateLimit-Reset` and `RateLimit-Policy`. Slow down when `RateLimit-Remaining` reaches 0.',
            ),
          ),
        ],
        examples: [
          {
            kind: 'code',
            language: 'http',
            label: 'Over the limit',
            source: exampleProblemAnswer('rate_limited', context),
          },
        ],
      },
    ],
  }
}

/** Idempotency keys and duplicates. */
export function idempotencySection(context: DiscoveryContext): Section {
  const { duplicateWindowHours, keyWindowHours } = context
  const hours = amount(keyWindowHours, 'hour')
  return {
    id: 'idempotency',
    title: 'Sending the same lead twice',
    blocks: [
      paragraph(
        prose(
          'An answer can be lost on its way. Sending the same lead again is always safe, and it never makes a second lead that somebody has to call twice.',
        ),
      ),
    ],
    sections: [
      {
        id: 'idempotency-key',
        title: 'With an Idempotency-Key',
        blocks: [
          paragraph(
            prose(
              'Make a key for each lead, such as a UUID, and send it with every attempt. The header is optional. Its value is a string in double quotes; a bare key means the same.',
            ),
          ),
          list(
            prose(
              'The same key with the same content, within {{hours}}: 201 with the first receipt, and `Idempotency-Replayed: true`.',
              { hours },
            ),
            prose('The same key with other content: 422 {{code}}. Nothing of the first submission is disclosed.', {
              code: code('idempotency_key_reused'),
            }),
            prose('A refused submission is not remembered: correct it and send it with the same key.'),
            prose('Two copies at the same moment: one lead, and both get its receipt.'),
            prose('A repeated submission counts against the [rate limit](#rate-limit) as every other.'),
          ),
        ],
        examples: [
          {
            kind: 'code',
            language: 'http',
            label: 'The same key again',
            source: receiptAnswer(context, { status: '201 Created', headers: ['Idempotency-Replayed'] }),
          },
        ],
      },
      {
        id: 'duplicates',
        title: 'Without a key',
        blocks: [
          paragraph(
            duplicateWindowHours === 0
              ? prose(
                  'This deployment does not look for duplicates: without a key, the same content makes another lead each time.',
                )
              : prose(
                  'The same content within {{hours}} makes no second lead. The answer is 200 with the first receipt and `"duplicate": true`.',
                  {
                    hours: amount(duplicateWindowHours, 'hour'),
                  },
                ),
          ),
          paragraph(
            prose(
              'The same content means the same kind and the same value in every field of the customer, compared after normalisation: `(202) 555-0123` and `+1 202 555 0123` are the same phone number. `communicationsConsent`, `consentTimestamp` and `pageUrl` do not make it another lead.',
            ),
          ),
        ],
        examples: [
          {
            kind: 'code',
            language: 'http',
            label: 'The same content again',
            source: receiptAnswer(context, { status: '200 OK', more: { duplicate: true } }),
          },
        ],
      },
    ],
  }
}
