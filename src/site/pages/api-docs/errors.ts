import { faultCodes, faultTable } from '../../../lead/fault-table.ts'
import { problemCodes, problemTable } from '../../../problem/table.ts'
import { code, plain, prose } from '../../content/markdown.ts'
import { paragraph, type Section, steps } from '../../content/page.ts'
import type { DiscoveryContext } from '../../context.ts'
import { exampleProblemAnswer } from '../../facts/problem-examples.ts'

const members: readonly [name: string, type: string, meaning: string][] = [
  ['type', 'string', 'A URL that identifies the kind of problem and leads to its page.'],
  ['title', 'string', 'A short summary, the same for every occurrence.'],
  ['status', 'number', 'The HTTP status of the answer.'],
  ['detail', 'string', 'What went wrong this time.'],
  ['instance', 'string', '`urn:uuid:` and the id of the request, which `X-Request-Id` and our log name too.'],
  ['code', 'string', 'The stable code to decide by. A code never changes its meaning.'],
  ['hint', 'string', 'What to do next, for a program or a person.'],
  ['retryable', 'boolean', 'Whether the same request will succeed later.'],
  ['error', 'string', 'The same text as `detail`, for older clients.'],
  ['errors', 'array', 'Every field at fault, not only the first.'],
]

const violationMembers: readonly [name: string, meaning: string][] = [
  ['pointer', 'The field as a JSON Pointer in a URI fragment (RFC 6901), such as `#/phone`.'],
  ['code', 'One of the [field codes](#field-codes).'],
  ['detail', 'What the value must be.'],
  ['hint', 'What to send instead.'],
]

/** The form of an error, every code, and when to try again. */
export function errorsSection(context: DiscoveryContext): Section {
  return {
    id: 'errors',
    title: 'Errors',
    blocks: [
      paragraph(
        prose(
          'Every error, whatever raised it, is a problem details object (RFC 9457) of the type `application/problem+json`. It never repeats a value that you sent.',
        ),
      ),
      {
        kind: 'entries',
        items: members.map(([name, type, meaning]) => ({
          id: `problem-${name}`,
          name,
          tags: name === 'errors' ? [type, 'with field errors'] : [type],
          body: [prose(meaning)],
        })),
      },
      paragraph(prose('Each entry of `errors` has four members:')),
      {
        kind: 'table',
        caption: 'Members of an entry of errors',
        head: ['Member', 'Meaning'],
        rows: violationMembers.map(([name, meaning]) => [code(name), prose(meaning)]),
      },
    ],
    examples: [
      {
        kind: 'code',
        language: 'http',
        label: 'Two fields at fault',
        source: exampleProblemAnswer('validation_failed', context),
      },
    ],
    sections: [codesSection(), fieldCodesSection(), retrySection(), orderSection()],
  }
}

function codesSection(): Section {
  return {
    id: 'codes',
    title: 'Problem codes',
    blocks: [
      {
        kind: 'table',
        caption: 'Every problem code',
        head: ['Code', 'Status', 'Retry', 'What to do'],
        rows: problemCodes.map((name) => {
          const { status, retryable, hint } = problemTable[name]
          return [
            prose(`[\`${name}\`](/problems/${name})`),
            plain(String(status)),
            plain(retryable ? 'yes' : 'no'),
            prose(hint),
          ]
        }),
      },
    ],
  }
}

function fieldCodesSection(): Section {
  return {
    id: 'field-codes',
    title: 'Field codes',
    blocks: [
      paragraph(prose('The codes in `errors`. A field may have words of its own in `detail` and `hint`.')),
      {
        kind: 'table',
        caption: 'Every code in errors',
        head: ['Code', 'The value', 'What to do'],
        rows: faultCodes.map((name) => [code(name), plain(faultTable[name].detail), plain(faultTable[name].hint)]),
      },
    ],
  }
}

function retrySection(): Section {
  return {
    id: 'retries',
    title: 'When to try again',
    blocks: [
      steps(
        prose('Look at `retryable`. When it is `false`, sending the same request again cannot help: follow `hint`.'),
        prose(
          'When it is `true`, wait for the seconds in `Retry-After`, or for two seconds when the header is absent.',
        ),
        prose('Send the same lead, unchanged, with the same `Idempotency-Key`. It cannot become two leads.'),
        prose(
          'After three attempts, tell the customer, and give them the phone number or the e-mail address of the business.',
        ),
      ),
    ],
  }
}

function orderSection(): Section {
  return {
    id: 'order',
    title: 'Order of the checks',
    blocks: [
      paragraph(prose('The first check that fails answers, so a problem also says what was in order:')),
      steps(
        prose('Rate limit'),
        prose('Credentials: there must be none'),
        prose('Content type and content encoding'),
        prose('Size of the body'),
        prose('JSON'),
        prose('Consent, then all fields together'),
        prose('Test data'),
        prose('Idempotency key'),
        prose('Duplicates'),
      ),
    ],
  }
}
