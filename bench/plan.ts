import type { ContestantName } from './contestants.ts'
import type { WorkloadName } from './workloads.ts'

/** What a run measures, and for how long. The estimator sets the number of rounds (measure/estimate.ts). */
export interface Plan {
  mode: 'full' | 'quick' | 'guard'
  warmUpSeconds: number
  secondsPerRound: number
  /** Whether to measure this server with this workload. */
  includes(workload: WorkloadName, contestant: ContestantName): boolean
  /** The servers whose start is measured. */
  starts: readonly ContestantName[]
  /** Whether to measure how long a single request can block the service's event loop. */
  hasStalls: boolean
}

/** The run whose results are published. Takes about 8 minutes. */
const full: Plan = {
  mode: 'full',
  warmUpSeconds: 4,
  secondsPerRound: 4,
  includes: () => true,
  starts: ['raw-io', 'lead-intake', 'fastify'],
  hasStalls: true,
}

/** A quick check that everything works, with rough results. Takes two minutes. */
const quick: Plan = {
  mode: 'quick',
  warmUpSeconds: 1,
  secondsPerRound: 1,
  includes: () => true,
  starts: ['raw-io', 'lead-intake'],
  hasStalls: true,
}

const guarded: readonly WorkloadName[] = ['submit', 'connect-json', 'grpc', 'refuse']

/** Only the service and the yardstick. Takes three minutes. */
const guard: Plan = {
  mode: 'guard',
  warmUpSeconds: 3,
  secondsPerRound: 4,
  includes: (workload, contestant) =>
    guarded.includes(workload) && (contestant === 'raw-io' || contestant.startsWith('lead-intake')),
  starts: [],
  hasStalls: false,
}

export const plans = { full, quick, guard }
