import { once } from 'node:events'
import { createRegistry, type DescFile, type DescService, toBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { Code, type ServiceImpl } from '@connectrpc/connect'
import type { ServerReflection, ServerReflectionRequest } from '../gen/grpc/reflection/v1/reflection_pb.ts'

/** `details` are the files of error details, which no service imports. Messages of `v1` and `v1alpha` are alike. */
export function createReflection(
  services: readonly DescService[],
  details: readonly DescFile[],
): ServiceImpl<typeof ServerReflection> {
  const names = services.map((service) => ({ name: service.typeName })).sort((a, b) => (a.name < b.name ? -1 : 1))
  const files = withImports([...services.map((service) => service.file), ...details])
  const registry = createRegistry(...files)

  /** The file that defines a type, or the type with a field, oneof or method of this name. */
  const fileOf = (symbol: string) => (registry.get(symbol) ?? registry.get(symbol.replace(/\.[^.]*$/, '')))?.file

  function answer({ messageRequest: { case: question, value } }: ServerReflectionRequest) {
    switch (question) {
      case 'listServices':
        return { case: 'listServicesResponse', value: { service: names } } as const
      case 'fileByFilename':
        return send(files.find((file) => file.proto.name === value))
      case 'fileContainingSymbol':
        return send(fileOf(value))
      case undefined:
        return refusal(Code.InvalidArgument, 'the request is empty')
      default:
        return refusal(Code.Unimplemented, 'not supported')
    }
  }

  return {
    async *serverReflectionInfo(requests, { signal }) {
      // A caller may keep the stream open and idle, and a shutdown must not wait for it.
      const aborted = once(signal, 'abort').then(() => Promise.reject(signal.reason))
      aborted.catch(() => {})
      const questions = requests[Symbol.asyncIterator]()
      for (;;) {
        const { done, value: request } = await Promise.race([questions.next(), aborted])
        if (done) return
        yield { validHost: request.host, originalRequest: request, messageResponse: answer(request) }
      }
    },
  }
}

function send(file: DescFile | undefined) {
  if (file === undefined) return refusal(Code.NotFound, 'not found')
  const fileDescriptorProto = withImports([file]).map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto))
  return { case: 'fileDescriptorResponse', value: { fileDescriptorProto } } as const
}

function withImports(files: readonly DescFile[]): DescFile[] {
  const all = new Set(files)
  for (const { dependencies } of all) for (const dependency of dependencies) all.add(dependency)
  return [...all]
}

const refusal = (errorCode: Code, errorMessage: string) =>
  ({ case: 'errorResponse', value: { errorCode, errorMessage } }) as const
