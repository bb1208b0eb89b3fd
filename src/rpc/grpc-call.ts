import { Http2ServerResponse, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import { create } from '@bufbuild/protobuf'
import type { ConnectError } from '@connectrpc/connect'
import {
  type Compression,
  createDeadlineSignal,
  createMethodSerializationLookup,
  encodeEnvelope,
  type UniversalHandler,
  validateReadWriteMaxBytes,
} from '@connectrpc/connect/protocol'
import { setTrailerStatus } from '@connectrpc/connect/protocol-grpc'
import { LeadIntakeService, type SubmitLeadRequest, SubmitLeadResponseSchema } from '../gen/leadintake/v1/intake_pb.ts'
import { readTrailers } from './answer.ts'
import { type Callers, identify, roleFor } from './callers.ts'
import { createErrorRenderer, type ErrorInterceptorOptions, type FailedCall } from './errors.ts'
import { headBytes, readFrameBytes } from './grpc-frame.ts'
import { createHeaders, isPlain, readTimeout } from './grpc-headers.ts'
import type { SubmitLead } from './intake.ts'
import { messageMaxBytes } from './message-size.ts'
import type { Exchange } from './node-handler.ts'
import type { OpenCallFn } from './open-call.ts'
import { closeAnswered, incompleteRequest, requestTimeoutMs as requestDefaultMs } from './request-time.ts'

/**
 * Serves an HTTP/2 stream if it is a plain gRPC call. Returns false, and leaves the stream as it is, if it is anything
 * else. `names` are the names in the caller's certificate; undefined without certificates.
 */
export type StreamHandler = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  names: readonly string[] | undefined,
) => boolean

export interface GrpcCallOptions extends ErrorInterceptorOptions {
  submitLead: SubmitLead
  /** The runtime's handlers, one of them for the same method. */
  handlers: readonly UniversalHandler[]
  openCall: OpenCallFn
  /** Serves a call by its `handler`. */
  serve: (exchange: Exchange) => void
  callers: Callers | undefined
  acceptCompression: Compression[]
  loopbackOnly: boolean
  /** How long a request may take to arrive, in milliseconds. Absent: 30 seconds. */
  requestTimeoutMs?: number | undefined
}

const okTrailers = { 'grpc-status': '0' }

/** Outside of the calls, so that it keeps none of them. */
const ignore = () => {}

function sendOk(this: ServerHttp2Stream): void {
  this.sendTrailers(okTrailers)
}

/**
 * Serves plain gRPC calls of `SubmitLead` straight from the HTTP/2 stream (gRPC over HTTP/2,
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md). The runtime moves the one message of such a call
 * through eight asynchronous generators, which its published build emulates, and makes three `Headers` and four abort
 * signals. That was three quarters of a call's CPU time (docs/decisions/measurements.md).
 *
 * Plain means: one uncompressed binary message of a permitted size, from a caller who may submit. Everything else goes
 * to the runtime's handler of the same method, with the bytes that have arrived, so that refusals are defined once.
 */
export function createGrpcHandler(options: GrpcCallOptions): StreamHandler {
  const { submitLead, openCall, serve, callers, loopbackOnly, acceptCompression, onError } = options
  const { requestTimeoutMs = requestDefaultMs } = options
  const method = LeadIntakeService.method.submitLead
  const handler = options.handlers.find((candidate) => candidate.method === method)
  const path = handler?.requestPath
  const role = roleFor(method)
  const limits = validateReadWriteMaxBytes(messageMaxBytes, undefined, undefined)
  const serialization = createMethodSerializationLookup(method, undefined, undefined, limits)
  const [input, output] = [serialization.getI(true), serialization.getO(true)]
  const renderError = createErrorRenderer(options)

  return (stream, headers, names) => {
    if (headers[':path'] !== path || !isPlain(headers, loopbackOnly)) return false
    const { caller, roles } = identify(names, callers)
    if (role !== undefined && !roles.has(role)) return false
    const timeout = readTimeout(headers)
    if (timeout.error) return false

    const open = openCall(headers, method, names)
    const { call } = open
    call.caller = caller
    const deadline = timeout.timeoutMs === undefined ? undefined : createDeadlineSignal(timeout.timeoutMs)
    const timer = setTimeout(onTimeout, requestTimeoutMs)
    let frame: Buffer | undefined
    let frameBytes = 0
    let receivedBytes = 0
    let isArriving = true
    let answered = false

    function onData(chunk: Buffer): void {
      if (frame === undefined) {
        frameBytes = readFrameBytes(chunk)
        // The usual case is one chunk. Several are copied together, because each keeps alive all that was read with it.
        if (chunk.length <= frameBytes) {
          frame = chunk.length === frameBytes ? chunk : Buffer.allocUnsafeSlow(frameBytes)
        }
      }
      if (frame === undefined || receivedBytes + chunk.length > frameBytes) {
        handOver(frame === undefined ? [chunk] : [frame.subarray(0, receivedBytes), chunk])
        return
      }
      if (frame !== chunk) frame.set(chunk, receivedBytes)
      receivedBytes += chunk.length
    }

    function onEnd(): void {
      // Node also emits `end` for a request that was canceled before its end.
      if (stream.aborted) return
      isArriving = false
      const message = frame !== undefined && receivedBytes === frameBytes ? readMessage(frame) : undefined
      if (message === undefined) {
        handOver(frame === undefined ? [] : [frame.subarray(0, receivedBytes)])
        return
      }
      settle(answer(message))
    }

    function settle(answering: Promise<void>): void {
      answering.catch((error) => {
        onError(error, call.requestId)
        stream.destroy()
      })
    }

    function onClose(): void {
      // Node's native handle keeps the stream until the next full garbage collection. Then it must not keep the call.
      stopReading()
      clearTimeout(timer)
      deadline?.cleanup()
      open.end(answered)
    }

    function stopReading(): void {
      isArriving = false
      stream.off('data', onData).off('end', onEnd)
    }

    function onDeadline(): void {
      giveUp(deadline?.signal.reason)
    }

    function onTimeout(): void {
      if (answered) closeAnswered(stream)
      else giveUp(incompleteRequest())
    }

    /** Refuses a request that is still arriving. A complete one is submitted, whether or not its caller still waits. */
    function giveUp(reason: unknown): void {
      if (!isArriving) return
      stopReading()
      stream.resume()
      settle(refuse(reason))
    }

    async function refuse(reason: unknown): Promise<void> {
      send(undefined, renderError(reason, failedCall(undefined)))
    }

    async function answer(message: SubmitLeadRequest): Promise<void> {
      let bytes: Uint8Array | undefined
      let failure: ConnectError | undefined
      try {
        const response = await submitLead(message, call, deadline?.signal)
        bytes = encodeEnvelope(0, output.serialize(create(SubmitLeadResponseSchema, response)))
        call.code = 'ok'
      } catch (reason) {
        failure = renderError(reason, failedCall(message))
      }
      send(bytes, failure)
    }

    function failedCall(message: SubmitLeadRequest | undefined): FailedCall {
      return { call, signal: deadline?.signal, input: method.input, message }
    }

    function send(bytes: Uint8Array | undefined, failure: ConnectError | undefined): void {
      // The caller may have gone away meanwhile.
      if (stream.destroyed || stream.closed) return
      const answerHeaders = createHeaders(headers['grpc-accept-encoding'], acceptCompression)
      if (failure === undefined) {
        answerHeaders.push('x-request-id', call.requestId)
        stream.once('wantTrailers', sendOk)
      } else {
        const trailers = readTrailers(setTrailerStatus(new Headers(), failure), call.requestId)
        stream.once('wantTrailers', () => stream.sendTrailers(trailers))
      }
      stream.respond(answerHeaders, { waitForTrailers: true })
      stream.end(bytes)
      answered = true
      timer.refresh()
    }

    /** Leaves the call to the runtime's handler. */
    function handOver(received: readonly Uint8Array[]): void {
      stopReading()
      stream.off('close', onClose).pause()
      clearTimeout(timer)
      deadline?.cleanup()
      const request = { httpVersion: '2.0', method: 'POST', url: path, headers }
      serve({ open, handler, request, body: stream, received, response: new Http2ServerResponse(stream) })
    }

    // Whatever breaks on the connection, the call is told through `close`.
    stream.on('error', ignore)
    stream.on('data', onData).on('end', onEnd).once('close', onClose)
    deadline?.signal.addEventListener('abort', onDeadline)
    if (deadline?.signal.aborted) onDeadline()
    return true
  }

  /** The message in a frame. Undefined: it cannot be decoded. */
  function readMessage(frame: Buffer): SubmitLeadRequest | undefined {
    try {
      return input.parse(frame.subarray(headBytes)) as SubmitLeadRequest
    } catch {
      return undefined
    }
  }
}
