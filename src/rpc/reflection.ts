import type { DescFile, DescService } from '@bufbuild/protobuf'
import { Code, type HandlerContext } from '@connectrpc/connect'
import { ServerReflection, type ServerReflectionRequest } from '../gen/grpc/reflection/v1/reflection_pb.ts'
import {
  ServerReflection as ServerReflectionAlpha,
  type ServerReflectionRequest as ServerReflectionRequestAlpha,
} from '../gen/grpc/reflection/v1alpha/reflection_pb.ts'
import { fileName, indexDescriptors, serializeFile } from './descriptor-index.ts'

type Request = ServerReflectionRequest | ServerReflectionRequestAlpha

/** The answer to one reflection request, the same in both protocol versions. */
type Answer =
  | { case: 'fileDescriptorResponse'; value: { fileDescriptorProto: Uint8Array<ArrayBuffer>[] } }
  | { case: 'allExtensionNumbersResponse'; value: { baseTypeName: string; extensionNumber: number[] } }
  | { case: 'listServicesResponse'; value: { service: { name: string }[] } }
  | { case: 'errorResponse'; value: { errorCode: number; errorMessage: string } }

/**
 * Server reflection, `grpc.reflection.v1` and `v1alpha`. Lists the services and returns the files that define them,
 * each with the imports that were not yet sent on the stream, like gRPC's own servers. `details` are files that no
 * service imports but that errors carry.
 */
export function createReflection(services: readonly DescService[], details: readonly DescFile[]) {
  const listed = [...services, ServerReflection, ServerReflectionAlpha]
  const index = indexDescriptors([...listed.map((service) => service.file), ...details])
  const names = listed.map((service) => ({ name: service.typeName })).sort((a, b) => (a.name < b.name ? -1 : 1))

  function answer(request: Request, sent: Set<string>): Answer {
    const { case: question, value } = request.messageRequest
    switch (question) {
      case 'listServices':
        return { case: 'listServicesResponse', value: { service: names } }
      case 'fileByFilename':
        return files(index.fileByName(value), sent)
      case 'fileContainingSymbol':
        return files(index.fileBySymbol(value), sent)
      case 'fileContainingExtension':
        return files(index.fileByExtension(value.containingType, value.extensionNumber), sent)
      case 'allExtensionNumbersOfType': {
        const numbers = index.extensionNumbers(value)
        if (numbers === undefined) return refusal(Code.NotFound, 'unknown message type')
        return { case: 'allExtensionNumbersResponse', value: { baseTypeName: value, extensionNumber: numbers } }
      }
      default:
        return refusal(Code.InvalidArgument, 'the request is empty')
    }
  }

  async function* answerAll<R extends Request>(requests: AsyncIterable<R>, { signal }: HandlerContext) {
    const sent = new Set<string>()
    const given = Promise.withResolvers<never>()
    // Nothing awaits the promise while an answer is being sent. Without this, a rejection at that moment would be
    // unhandled.
    given.promise.catch(() => {})
    signal.addEventListener('abort', () => given.reject(signal.reason), { once: true })
    const questions = requests[Symbol.asyncIterator]()
    for (;;) {
      // A client may keep the stream open and idle, and a shutdown must not wait for it.
      const { done, value: request } = await Promise.race([questions.next(), given.promise])
      if (done) return
      yield { validHost: request.host, originalRequest: request, messageResponse: answer(request, sent) }
    }
  }

  return { serverReflectionInfo: answerAll }
}

/** The file itself, even if it was sent before, and the imports that were not sent yet. Records what is sent. */
function files(file: DescFile | undefined, sent: Set<string>): Answer {
  if (file === undefined) return refusal(Code.NotFound, 'not found')
  const fresh = new Set([file])
  for (const { dependencies } of fresh) {
    for (const dependency of dependencies) if (!sent.has(fileName(dependency))) fresh.add(dependency)
  }
  for (const each of fresh) sent.add(fileName(each))
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto: [...fresh].map(serializeFile) } }
}

function refusal(errorCode: Code, errorMessage: string): Answer {
  return { case: 'errorResponse', value: { errorCode, errorMessage } }
}
