import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { readConfigOrExit } from '../config/read-or-exit.ts'
import { createSealKeys, sealedMessage } from '../evidence/seal.ts'
import { verifyEvidence } from '../evidence/verify.ts'
import { printable } from '../safe-text.ts'
import { openExistingStore } from '../store/open.ts'

// `npm run consent:verify`: recomputes the chain over all evidence and reports what does not match. `--witness
// VALUE|FILE`: seals from the log, which must exist. Exit code 1: something does not match. 69 (`EX_UNAVAILABLE` of
// sysexits.h): the evidence could not be read, so the result is unknown. 64: invalid arguments.

/** An administrator may have put control characters or line breaks into an id. */
const oneLine = (text: string) => printable(text).replaceAll(/[\n\t]/g, '\ufffd')

const isSeal = (text: string) => /^[0-9a-f]{64}$/.test(text)

/** How many seals were compared, and the files without any: a wrong file, or a compressed one. */
const witnessed = { seals: 0, empty: [] as string[] }

/** Yields the seals in a value, or in a file with log lines or values. Skips other lines. */
async function* readWitness(values: readonly string[]): AsyncGenerator<string> {
  for (const value of values) {
    const before = witnessed.seals
    if (isSeal(value)) {
      witnessed.seals++
      yield value
    } else {
      for await (const line of createInterface(createReadStream(value))) {
        const seal = sealOf(line)
        if (seal === undefined) continue
        witnessed.seals++
        yield seal
      }
    }
    if (witnessed.seals === before) witnessed.empty.push(value)
  }
}

function sealOf(line: string): string | undefined {
  const text = line.trim()
  if (isSeal(text)) return text
  if (!text.includes(sealedMessage)) return undefined
  // A log collector may have added a prefix.
  const seal = /"seal":"([0-9a-f]{64})"/.exec(text)
  return seal?.[1]
}

function readArguments(): string[] {
  try {
    const { values } = parseArgs({ options: { witness: { type: 'string', multiple: true, default: [] } } })
    const wrong = values.witness.find((value) => !isSeal(value) && !existsSync(value))
    if (wrong === undefined) return values.witness
    console.error('--witness: expected a seal of 64 hexadecimal digits, or a file with log lines')
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
  }
  process.exit(64)
}

const witness = readArguments()
const { databaseUrl, consentSealKeys } = readConfigOrExit(process.env)
const showsProgress = process.stderr.isTTY
let progressAt = 0

try {
  const store = await openExistingStore(databaseUrl)
  const report = await verifyEvidence({
    reader: store.evidence,
    keys: createSealKeys(consentSealKeys),
    now: Date.now,
    witness: readWitness(witness),
    onFinding({ reason, detail, ids }) {
      console.log(oneLine(`${[reason, ...ids].join(' ')} (${detail})`))
    },
    onWarning: (text) => console.log(`Warning: ${text}`),
    onProgress(leads) {
      if (!showsProgress || Date.now() - progressAt < 500) return
      progressAt = Date.now()
      process.stderr.write(`\r${leads.toLocaleString('en-US')} leads checked`)
    },
  })
  await store.close()
  if (showsProgress) process.stderr.write('\r\x1b[K')
  for (const file of witnessed.empty) {
    console.log(`witness_empty (no line of ${file} has a seal: it is another file, or a compressed one)`)
  }
  if (witnessed.seals > 0) console.log(`Compared ${witnessed.seals} seals of the witness.`)
  const { leads, sealed, erased, unsealed, keyed, keyless, failures } = report
  console.log(`${leads} leads: ${sealed} sealed, ${erased} erased, ${unsealed} not yet sealed. ${failures} failures.`)
  if (keyed === 0 && keyless > 0) {
    console.log('No segment has a key (CONSENT_SEAL_KEY): the chain shows accidents, not attackers.')
  }
  process.exitCode = failures > 0 || witnessed.empty.length > 0 ? 1 : 0
} catch (error) {
  console.error(`The evidence could not be read: ${error instanceof Error ? error.message : error}`)
  process.exit(69)
}
