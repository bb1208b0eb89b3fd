import { once } from 'node:events'
import { createRegistry, type DescFile, type DescService, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { Code, type HandlerContext } from '@connectrpc/connect'
import { ServerReflection, type ServerReflectionRequest } from '../gen/grpc/reflection/v1/reflection_pb.ts'
import {
  ServerReflection as ServerReflectionAlpha,
  type ServerReflectionRequest as ServerReflectionRequestAlpha,
} from '../gen/grpc/reflection/v1alpha/reflection_pb.ts'

type Request = ServerReflectionRequest | ServerReflectionRequestAlpha

/** The answer to one reflection request, the same in both protocol versions. */
type Answer =
  | { case: 'fileDescriptorResponse'; value: { fileDescriptorProto: Uint8Array<ArrayBuffer>[] } }
  | { case: 'listServicesResponse'; value: { service: { name: string }[] } }
  | { case: 'errorResponse'; value: { errorCode: number; errorMessage: string } }

/**
 * Server reflection, `grpc.reflection.v1` and `v1alpha`. Lists the services and returns the files that define them,
 * each with everything that it imports. `details` are files that no service imports but that errors carry.
 */
export function createReflection(services: readonly DescService[], details: readonly DescFile[]) {
  const listed = [...services, ServerReflection, ServerReflectionAlpha]
  const names = listed.map((service) => ({ name: service.typeName })).sort((a, b) => (a.name < b.name ? -1 : 1))
  const files = withImports([...listed.map((service) => service.file), ...details])
  const registry = createRegistry(...files)

  /** The file that defines a type, or a field, oneof or method of one. */
  function fileOf(symbol: string): DescFile | undefined {
    const type = registry.get(symbol)
    if (type) return type.file
    const dot = symbol.lastIndexOf('.')
    const parent = registry.get(symbol.slice(0, Math.max(dot, 0)))
    const members = parent?.kind === 'message' ? parent.members : parent?.kind === 'service' ? parent.methods : []
    return members.some(({ name }) => name === symbol.slice(dot + 1)) ? parent?.file : undefined
  }

  function answer({ messageRequest }: Request): Answer {
    const { case: question, value } = messageRequest
    switch (question) {
      case 'listServices':
        return { case: 'listServicesResponse', value: { service: names } }
      case 'fileByFilename':
        return send(files.find((file) => file.proto.name === value))
      case 'fileContainingSymbol':
        return send(fileOf(value))
      case 'fileContainingExtension': {
        const extendee = registry.getMessage(value.containingType)
        return send(extendee && registry.getExtensionFor(extendee, value.extensionNumber)?.file)
      }
      case undefined:
        return refusal(Code.InvalidArgument, 'the request is empty')
      default:
        return refusal(Code.Unimplemented, 'not supported')
    }
  }

  return async function* serverReflectionInfo(requests: AsyncIterable<Request>, { signal }: HandlerContext) {
    const aborted = once(signal, 'abort').then(() => undefined)
    const questions = requests[Symbol.asyncIterator]()
    while (!signal.aborted) {
      // A caller may keep the stream open and idle, and a shutdown must not wait for it.
      const question = await Promise.race([questions.next(), aborted])
      if (question === undefined) break
      if (question.done) return
      const request = question.value
      yield { validHost: request.host, originalRequest: request, messageResponse: answer(request) }
    }
    throw signal.reason
  }
}

/** The file with everything that it imports. */
function send(file: DescFile | undefined): Answer {
  if (file === undefined) return refusal(Code.NotFound, 'not found')
  const fileDescriptorProto = withImports([file]).map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto))
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto } }
}

/** The files and everything that they import. */
function withImports(files: readonly DescFile[]): DescFile[] {
  const all = new Set(files)
  for (const { dependencies } of all) for (const dependency of dependencies) all.add(dependency)
  return [...all]
}

function refusal(errorCode: Code, errorMessage: string): Answer {
  return { case: 'errorResponse', value: { errorCode, errorMessage } }
}
