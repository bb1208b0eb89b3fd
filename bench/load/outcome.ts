/** The result of a load generator. */
export interface Outcome {
  /** Complete answers. */
  answers: number
  /** Answers with a status of 400 or more. */
  failed: number
  /** Requests without an answer: the connection was refused, broken or timed out. */
  broken: number
  seconds: number
  /** Latency in milliseconds. */
  p50: number
  p99: number
}
