// Compares the PostgreSQL drivers `pg` and `postgres`, each storing batches like the service: one prepared statement
// with one JSON parameter. Prints the client's CPU time and the elapsed time per row, as medians of interleaved rounds.
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import postgres from 'postgres'
import { runSql, startPostgres } from './backend/postgres.ts'
import { median, rounds } from './measure/estimate.ts'

const batchSizes = [1, 16, 64]
const batchesARound = 400
const insert = `INSERT INTO driver_rows SELECT * FROM json_to_recordset($1::text::json) AS r(id uuid, content text)`

const directory = join(import.meta.dirname, 'data', `driver-${process.pid}`)
try {
  await using server = await startPostgres(join(directory, 'postgres'))
  await runSql(server.url, 'CREATE TABLE driver_rows (id uuid PRIMARY KEY, content text)')
  const client = new pg.Client(server.url)
  await client.connect()
  const sql = postgres(server.url, { max: 1, fetch_types: false })
  const drivers: Record<string, (rows: string) => Promise<unknown>> = {
    pg: (rows) => client.query({ name: 'insert', text: insert, values: [rows] }),
    postgres: (rows) => sql.unsafe(insert, [rows], { prepare: true }),
  }

  for (const size of batchSizes) {
    const cpu = new Map(Object.keys(drivers).map((name) => [name, [] as number[]]))
    const wall = new Map(Object.keys(drivers).map((name) => [name, [] as number[]]))
    // The first round is a warm-up and is not counted.
    for (let round = 0; round <= rounds; round++) {
      for (const [name, run] of Object.entries(drivers)) {
        const batches = Array.from({ length: batchesARound }, () => encode(size))
        const [usedBefore, startedMs] = [process.cpuUsage(), performance.now()]
        for (const rows of batches) await run(rows)
        const used = process.cpuUsage(usedBefore)
        if (round === 0) continue
        cpu.get(name)?.push((used.user + used.system) / batchesARound / size)
        wall.get(name)?.push(((performance.now() - startedMs) * 1000) / batchesARound / size)
      }
    }
    for (const name of Object.keys(drivers)) {
      const [cpuUs, wallUs] = [median(cpu.get(name) ?? []), median(wall.get(name) ?? [])]
      console.log(`batch of ${size}: ${name}: ${cpuUs.toFixed(1)} µs CPU a row, ${wallUs.toFixed(1)} µs a row`)
    }
  }
  await client.end()
  await sql.end()
} finally {
  rmSync(directory, { recursive: true, force: true })
}

function encode(size: number): string {
  return JSON.stringify(Array.from({ length: size }, () => ({ id: randomUUID(), content: 'x'.repeat(300) })))
}
