import type { ContestantName } from './contestants.ts'
import type { WorkloadName } from './workloads.ts'

/** What a run measures and for how long; the number of rounds is the estimator's (measure/estimate.ts). */
export interface Plan {
  mode: 'full' | 'quick' | 'guard'
  warmUpSeconds: number
  secondsPerRound: number
  /** What is left out; nothing else is. */
  includes(workload: WorkloadName, contestant: ContestantName): boolean
  /** Whose starts are measured. */
  starts: readonly ContestantName[]
}

/** The run whose figures are published: about a quarter of an hour. */
const full: Plan = {
  mode: 'full',
  warmUpSeconds: 4,
  secondsPerRound: 8,
  includes: () => true,
  starts: ['raw-io', 'lead-intake', 'fastify'],
}

/** In two minutes: whether everything works, and roughly where it stands. The slower two of the REST peers are left out. */
const quick: Plan = {
  mode: 'quick',
  warmUpSeconds: 1,
  secondsPerRound: 1,
  includes: (_, contestant) => contestant !== 'express' && contestant !== 'koa',
  starts: ['lead-intake'],
}

const guarded: readonly WorkloadName[] = ['submit', 'connect-json', 'grpc', 'refuse']

/** The service and the yardstick only, in three minutes. */
const guard: Plan = {
  mode: 'guard',
  warmUpSeconds: 3,
  secondsPerRound: 4,
  includes: (workload, contestant) =>
    guarded.includes(workload) && (contestant === 'raw-io' || contestant.startsWith('lead-intake')),
  starts: [],
}

export const plans = { full, quick, guard }
