/** The first number of this service's advisory locks: "lead" in ASCII, so that no other program's lock is met. */
const lockClass = 0x6c656164

/** Calls that take an advisory lock of this database and hold it to the end of the transaction, its commit included. */
export const locks = {
  /** Held by whoever stores leads: batches of all replicas commit one after the other. */
  insert: `pg_advisory_xact_lock(${lockClass}, 1)`,
  /** Held by whoever changes the schema. */
  migrate: `pg_advisory_xact_lock(${lockClass}, 2)`,
  /** Held by the one replica that seals the evidence; false: another one holds it. */
  trySeal: `pg_try_advisory_xact_lock(${lockClass}, 4)`,
  /** Held by the one replica that erases what is due; false: another one holds it. */
  tryRetention: `pg_try_advisory_xact_lock(${lockClass}, 3)`,
}
