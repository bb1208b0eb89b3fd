import { type ProblemCode, problemCodes, problemTable } from '../../problem/table.ts'
import { code, prose } from '../content/markdown.ts'
import { type Page, paragraph, steps } from '../content/page.ts'
import type { DiscoveryContext } from '../context.ts'
import { exampleProblemAnswer } from '../facts/problem-examples.ts'
import { problemNotes } from '../facts/problem-notes.ts'

/** `/problems`, and a page for each code. */
export function createProblemPages(context: DiscoveryContext): Page[] {
  return [createIndex(), ...problemCodes.map((name) => createProblemPage(name, context))]
}

function createIndex(): Page {
  return {
    path: '/problems',
    title: 'Problems',
    description: 'Every error of this API, with what to do about it.',
    intro: [],
    sections: [
      {
        id: 'codes',
        title: 'Codes',
        blocks: [
          {
            kind: 'table',
            caption: 'Every problem code',
            head: ['Code', 'Status', 'What to do'],
            rows: problemCodes.map((name) => {
              const { status, hint } = problemTable[name]
              return [prose(`[\`${name}\`](/problems/${name})`), code(String(status)), prose(hint)]
            }),
          },
        ],
      },
    ],
  }
}

function createProblemPage(name: ProblemCode, context: DiscoveryContext): Page {
  const { title, detail } = problemTable[name]
  const { why, steps: todo } = problemNotes[name]
  return {
    path: `/problems/${name}`,
    title,
    description: detail,
    intro: [],
    sections: [
      { id: 'what-happened', title: 'What happened', blocks: [paragraph(prose(why))] },
      { id: 'what-to-do', title: 'What to do', blocks: [steps(...todo.map((step) => prose(step)))] },
      {
        id: 'example',
        title: 'Example',
        blocks: [{ kind: 'code', language: 'http', label: 'Answer', source: exampleProblemAnswer(name, context) }],
      },
    ],
  }
}
