/** A request or a call as a trace tells of it, while traces are on (ops/spans.ts). */
export interface ServerSpan<Report> {
  /** 32 hexadecimal digits (W3C Trace Context §3.2.2.3): joins the log line to the trace. */
  readonly traceId: string
  /** Whether the trace is taken, so that it can be looked up. */
  readonly isSampled: boolean
  /** Runs the work that the span stands for: spans that begin in it become its children. */
  run<T>(work: () => T): T
  /** Ends the span with what is known of the request by then. */
  end(report: Report): void
}

/** Begins the span of a request, below its caller's where the header field `traceparent` names one. */
export type StartServerSpan<Report> = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
) => ServerSpan<Report>
