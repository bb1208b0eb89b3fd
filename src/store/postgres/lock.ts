/** The class number of this service's advisory locks: "lead" in ASCII, to avoid collisions with other programs. */
const lockClass = 0x6c656164

/** SQL calls that take an advisory lock and hold it until the transaction ends, commit included. */
export const locks = {
  /** Held while storing leads: the batches of all replicas commit one after the other. */
  insert: `pg_advisory_xact_lock(${lockClass}, 1)`,
  /** Held while changing the schema. */
  migrate: `pg_advisory_xact_lock(${lockClass}, 2)`,
  /** Held by the one replica that seals evidence. Returns false when another replica holds it. */
  trySeal: `pg_try_advisory_xact_lock(${lockClass}, 4)`,
  /** Held by the one replica that erases expired leads. Returns false when another replica holds it. */
  tryRetention: `pg_try_advisory_xact_lock(${lockClass}, 3)`,
}
