import { after, suite } from 'node:test'
import { skipWithoutEngine } from '../support/backends.ts'
import { drillResults } from './drill.ts'
import { postgresDrills } from './postgres-drills.ts'
import { redisDrills } from './redis-drills.ts'
import { replicaDrills } from './replica-drills.ts'
import { formatTable } from './table.ts'

suite('failure drills', { skip: skipWithoutEngine, timeout: 600_000 }, () => {
  after(() => {
    if (drillResults().length > 0) console.log(`\n${formatTable(drillResults())}\n`)
  })
  redisDrills()
  postgresDrills()
  replicaDrills()
})
