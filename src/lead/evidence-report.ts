/** A deviation from what the service has stored. */
export interface Finding {
  /** A stable name, such as `segment_broken`. */
  reason: string
  /** For people: which position, segment or text, and what is wrong. */
  detail: string
  /** The leads that are affected, or may be. */
  ids: readonly string[]
}

/** The counts of a complete evidence check. */
export interface EvidenceReport {
  leads: number
  /** Leads in intact segments. */
  sealed: number
  /** Leads whose personal part was erased. */
  erased: number
  /** Leads that are not in a segment yet. */
  unsealed: number
  /** Intact segments, with and without a key. */
  keyed: number
  keyless: number
  failures: number
}
