import { Code, ConnectError } from '@connectrpc/connect'
import { ProblemSchema } from '../gen/leadintake/v1/problem_pb.ts'
import { toPlainLine } from './plain-text.ts'

/** Says in one line what went wrong with a call and what to do about it. */
export function explainFailure(failure: unknown, origin: string): string {
  const error = ConnectError.from(failure)
  const [problem] = error.findDetails(ProblemSchema)
  if (problem) return toPlainLine(`The service says: ${problem.detail} ${problem.hint}`)
  const { code: cause } = (error.cause ?? {}) as NodeJS.ErrnoException
  if (cause === 'ECONNREFUSED') {
    return `No service answers at ${origin}: start it (\`npm start\`), or set INTERNAL_HOST and INTERNAL_PORT as it has them.`
  }
  return toPlainLine(`The inbox at ${origin} cannot be read: ${cause ?? Code[error.code]}, ${error.rawMessage}`)
}
