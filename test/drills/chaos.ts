import { after, suite } from 'node:test'
import { skipWithoutEngine } from '../support/backends.ts'
import { chaosCases } from './chaos-cases.ts'
import { drillResults } from './drill.ts'
import { postgresDrills } from './postgres-drills.ts'
import { redisDrills } from './redis-drills.ts'
import { replicaDrills } from './replica-drills.ts'
import { formatSummary } from './table.ts'

suite('chaos', { skip: skipWithoutEngine, timeout: 3_600_000 }, () => {
  after(() => {
    if (drillResults().length > 0) console.log(`\n${formatSummary(drillResults())}\n`)
  })
  chaosCases()
  redisDrills()
  postgresDrills()
  replicaDrills()
})
