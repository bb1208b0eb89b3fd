import { Code, ConnectError } from '@connectrpc/connect'
import { ProblemSchema } from '../gen/leadintake/v1/problem_pb.ts'
import { toPlainLine } from './plain-text.ts'

/** Explains in one line why a call failed and what to do. */
export function explainFailure(failure: unknown, origin: string): string {
  const error = ConnectError.from(failure)
  const [problem] = error.findDetails(ProblemSchema)
  if (problem) return toPlainLine(`The service says: ${problem.detail} ${problem.hint}`)
  const { code: cause } = (error.cause ?? {}) as NodeJS.ErrnoException
  if (cause === 'ECONNREFUSED') {
    return `No service answers at ${origin}: start it (\`npm start\`), or set INTERNAL_HOST and INTERNAL_PORT to the service's values.`
  }
  return toPlainLine(`The inbox at ${origin} cannot be read: ${cause ?? Code[error.code]}, ${error.rawMessage}`)
}
