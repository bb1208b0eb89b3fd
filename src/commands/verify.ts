import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { createSealKeys, sealedMessage } from '../evidence/seal.ts'
import { verifyEvidence } from '../evidence/verify.ts'
import { printable } from '../safe-text.ts'
import { exitWithUsage, runOnStore, showProgress } from './run.ts'

// `npm run consent:verify`: recomputes the chain over all evidence and reports what does not match. `--witness
// VALUE|FILE`: seals from the log, which must exist. Exit code 1: something does not match. 69: the evidence could not be
// read, so the result is unknown.

/** An administrator may have put control characters or line breaks into an id. */
const oneLine = (text: string) => printable(text).replaceAll(/[\n\t]/g, '\ufffd')

const isSeal = (text: string) => /^[0-9a-f]{64}$/.test(text)

/** The seal of a log line, which a log collector may have given a prefix, or a seal alone. */
function sealOf(line: string): string | undefined {
  const text = line.trim()
  if (isSeal(text)) return text
  return text.includes(sealedMessage) ? /"seal":"([0-9a-f]{64})"/.exec(text)?.[1] : undefined
}

/** How many seals were compared, and the files without any: a wrong file, or a compressed one. */
const witnessed = { seals: 0, empty: [] as string[] }

/** Yields the seals in a value, or in a file with log lines or values. Skips other lines. */
async function* readWitness(values: readonly string[]): AsyncGenerator<string> {
  for (const value of values) {
    const before = witnessed.seals
    for await (const line of isSeal(value) ? [value] : createInterface(createReadStream(value))) {
      const seal = sealOf(line)
      if (seal === undefined) continue
      witnessed.seals++
      yield seal
    }
    if (witnessed.seals === before) witnessed.empty.push(value)
  }
}

function parseWitnesses(): string[] {
  try {
    const { values } = parseArgs({ options: { witness: { type: 'string', multiple: true, default: [] } } })
    if (values.witness.every((value) => isSeal(value) || existsSync(value))) return values.witness
  } catch {
    // An unknown option.
  }
  exitWithUsage('--witness: expected a seal of 64 hexadecimal digits, or a file with log lines')
}

const witness = parseWitnesses()
await runOnStore('The evidence could not be read', async ({ evidence }, { consentSealKeys }) => {
  const { leads, sealed, erased, unsealed, keyed, keyless, failures } = await verifyEvidence({
    reader: evidence,
    keys: createSealKeys(consentSealKeys),
    now: Date.now,
    witness: readWitness(witness),
    onFinding: ({ reason, detail, ids }) => console.log(oneLine(`${[reason, ...ids].join(' ')} (${detail})`)),
    onWarning: (text) => console.log(`Warning: ${text}`),
    onProgress: (checked) => showProgress(`${checked.toLocaleString('en-US')} leads checked`),
  })
  showProgress('')
  for (const file of witnessed.empty)
    console.log(`witness_empty (no line of ${file} has a seal: it is another file, or a compressed one)`)
  if (witnessed.seals > 0) console.log(`Compared ${witnessed.seals} seals of the witness.`)
  console.log(`${leads} leads: ${sealed} sealed, ${erased} erased, ${unsealed} not yet sealed. ${failures} failures.`)
  if (keyed === 0 && keyless > 0)
    console.log('No segment has a key (CONSENT_SEAL_KEY): the chain shows accidents, not attackers.')
  process.exitCode = failures > 0 || witnessed.empty.length > 0 ? 1 : 0
})
