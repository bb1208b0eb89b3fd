import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Durability } from '../backend.ts'
import type { ContestantName } from '../contestants.ts'
import type { Sample } from '../measure/sample.ts'
import type { Stalls } from '../measure/stall.ts'
import type { Start } from '../measure/start.ts'
import type { WorkloadName } from '../workloads.ts'

/** All rounds of one contestant in one workload. There is none for a contestant that was left out. */
export interface Cell {
  workload: WorkloadName
  contestant: ContestantName
  samples: Sample[]
}

/** The machine that was used. */
export interface Machine {
  cpu: string
  cores: number
  node: string
  redis: string
  postgres: string
  /** The load average of the minute before the run. It reveals other users of the machine. */
  loadAverage: number
}

/** A complete run, as saved in `results/`. */
export interface Results {
  takenAt: string
  mode: 'full' | 'quick' | 'guard'
  machine: Machine
  durability: Durability
  secondsPerRound: number
  cells: Cell[]
  starts: Partial<Record<ContestantName, Start>>
  /** Measured on the service. Absent in a run without them. */
  stalls?: Stalls
}

const folder = join(import.meta.dirname, '../results')

/** Whether a contestant was measured in a workload. */
export function hasSamples({ cells }: Results, workload: WorkloadName, contestant: ContestantName): boolean {
  return cells.some((cell) => cell.workload === workload && cell.contestant === contestant)
}

/** The samples of a contestant in a workload. Throws when it was not measured. */
export function samplesOf({ cells }: Results, workload: WorkloadName, contestant: ContestantName): Sample[] {
  const cell = cells.find((cell) => cell.workload === workload && cell.contestant === contestant)
  if (cell === undefined) throw new Error(`${contestant} was not measured in ${workload}`)
  return cell.samples
}

/** Saves a file in `results/` and returns its path. */
export function saveResult(name: string, content: string): string {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

/** The committed run, which `--guard` compares with. Throws when there is none. */
export function readCommitted(): Results {
  return JSON.parse(readFileSync(join(folder, 'full.json'), 'utf8'))
}
