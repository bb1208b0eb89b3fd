/** Something that is not as the service has left it. */
export interface Finding {
  /** A stable name, such as `segment_broken`. */
  reason: string
  /** For a person: which place, segment or text, and in what way. */
  detail: string
  /** The leads that it concerns, or may concern. */
  ids: readonly string[]
}

/** What a check of all evidence has counted. */
export interface EvidenceReport {
  leads: number
  /** Leads in segments that hold. */
  sealed: number
  /** Leads whose personal part was erased. */
  erased: number
  /** Leads that no segment has yet. */
  unsealed: number
  /** Segments that hold, with a key and without. */
  keyed: number
  keyless: number
  failures: number
}
