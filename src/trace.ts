/** The span of a request or call, while tracing is on (ops/spans.ts). */
export interface ServerSpan<Report> {
  /** 32 hexadecimal digits (W3C Trace Context §3.2.2.3). Connects the log line to the trace. */
  readonly traceId: string
  /** Whether the trace is recorded, so that it can be looked up. */
  readonly isSampled: boolean
  /** Runs the work of the span. Spans started inside it become its children. */
  run<T>(work: () => T): T
  /** Ends the span with the facts about the request. */
  end(report: Report): void
}

/** Starts the span of a request, as a child of the caller's span if there is a `traceparent` header. */
export type StartServerSpan<Report> = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
) => ServerSpan<Report>
