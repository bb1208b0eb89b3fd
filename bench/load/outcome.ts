/** What a load generator saw. */
export interface Outcome {
  /** Complete answers. */
  answers: number
  /** Of these, those with a status of 400 or more. */
  failed: number
  /** Requests without an answer: connections refused, broken or timed out. */
  broken: number
  seconds: number
  /** Latency in milliseconds. */
  p50: number
  p99: number
}
