import { STATUS_CODES } from 'node:http'
import { faultCodes, faultTable } from '../../lead/fault-table.ts'
import { problemRow } from '../../problem/document.ts'
import { type ProblemCode, problemCodes } from '../../problem/table.ts'
import { code, plain, prose } from '../content/markdown.ts'
import { type Block, list, type Page, paragraph, type Section, steps } from '../content/page.ts'
import type { DiscoveryContext } from '../context.ts'
import { exampleProblemAnswer } from '../facts/problem-examples.ts'
import { type ProblemNote, problemNotes } from '../facts/problem-notes.ts'

/** The index's groups, by who can do something about it. */
const groups: readonly { id: string; title: string; has: (status: number) => boolean }[] = [
  { id: 'request', title: 'The request', has: (status) => status < 422 || status === 431 },
  { id: 'lead', title: 'The lead', has: (status) => status === 422 },
  { id: 'later', title: 'Try again later', has: (status) => status === 429 || status >= 500 },
]

/** `/problems`: every code. */
export function createProblemIndex(): Page {
  return {
    title: 'Problems',
    description: 'Every error of this API, by its code: what it means, and what to do about it.',
    intro: [
      paragraph(
        prose(
          'Each error is a problem details object (RFC 9457) with one of these codes. A code, once released, never changes its meaning. The [reference](/api-docs#errors) shows the form.',
        ),
      ),
    ],
    sections: groups.map(({ id, title, has }) => ({
      id,
      title,
      blocks: [
        {
          kind: 'table' as const,
          caption: title,
          head: ['Code', 'Status', 'What it means'],
          rows: problemCodes
            .filter((name) => has(problemRow(name).status))
            .map((name) => {
              const row = problemRow(name)
              return [prose(`[\`${name}\`](/problems/${name})`), plain(String(row.status)), plain(row.title)]
            }),
        },
      ],
    })),
  }
}

/** `/problems/{code}`: where the `type` of a problem leads. */
export function createProblemPage(name: ProblemCode, context: DiscoveryContext): Page {
  const { title, detail, status, retryable, hint } = problemRow(name)
  const note: ProblemNote = problemNotes[name]
  return {
    title,
    description: detail,
    intro: [
      {
        kind: 'facts',
        items: [
          ['Code', code(name)],
          ['Status', plain(`${status} ${STATUS_CODES[status]}`)],
          [
            'Try again',
            plain(retryable ? 'Yes, later: the same request will succeed.' : 'No: the same request will fail again.'),
          ],
          ['In short', plain(hint)],
        ],
      },
    ],
    sections: [
      { id: 'what-happened', title: 'What happened', blocks: [paragraph(prose(note.why))] },
      { id: 'what-to-do', title: 'What to do', blocks: [todo(note.steps)] },
      ...fieldCodes(name),
      {
        id: 'example',
        title: 'Example',
        blocks: [{ kind: 'code', language: 'http', label: 'Answer', source: exampleProblemAnswer(name, context) }],
      },
      {
        id: 'see-also',
        title: 'See also',
        blocks: [list(prose('[All problems](/problems)'), prose('[Errors in the reference](/api-docs#errors)'))],
      },
    ],
  }
}

function todo(texts: readonly string[]): Block {
  const items = texts.map((text) => prose(text))
  return items.length === 1 ? list(...items) : steps(...items)
}

/** The codes that the `errors` of a problem can have. */
function fieldCodes(name: ProblemCode): Section[] {
  const testData = ['reserved_domain', 'reserved_phone', 'unassignable_phone']
  const codes = {
    test_lead_rejected: faultCodes.filter((fault) => testData.includes(fault)),
    validation_failed: faultCodes.filter((fault) => !testData.includes(fault) && fault !== 'consent_required'),
    consent_required: faultCodes.filter((fault) => !testData.includes(fault)),
  }
  const listed = name in codes ? codes[name as keyof typeof codes] : []
  if (listed.length === 0) return []
  return [
    {
      id: 'field-codes',
      title: 'Codes of its entries in errors',
      blocks: [
        {
          kind: 'table',
          caption: 'Codes of entries in errors',
          head: ['Code', 'The value', 'What to do'],
          rows: listed.map((fault) => [code(fault), plain(faultTable[fault].detail), plain(faultTable[fault].hint)]),
        },
      ],
    },
  ]
}
