// A reporter for `node --test`: the coverage of what the unit tests load, and the files of which they leave most out.
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

/** A file with fewer covered lines than this is listed. */
const listedBelowPercent = 90

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:coverage') continue
    const { files, totals, workingDirectory } = data.summary
    const percents = [totals.coveredLinePercent, totals.coveredBranchPercent, totals.coveredFunctionPercent]
    const [lines, branches, functions] = percents.map((percent) => `${percent.toFixed(1)} %`)
    yield `\n${files.length} files: ${lines} of the lines, ${branches} of the branches, ${functions} of the functions\n`
    const low = files.filter(({ coveredLinePercent }) => coveredLinePercent < listedBelowPercent)
    low.sort((one, other) => one.coveredLinePercent - other.coveredLinePercent)
    for (const { path, coveredLinePercent } of low)
      yield `${coveredLinePercent.toFixed(0).padStart(4)} %  ${relative(workingDirectory, path)}\n`
    yield 'These need documents, servers, containers or processes, which the other tests of `npm test` start.\n'
  }
}
