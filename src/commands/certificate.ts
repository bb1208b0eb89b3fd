import { parseArgs } from 'node:util'
import { exitWithFaults, readConfigOrExit } from '../config/read-or-exit.ts'
import { certificateJson, createCertificate } from '../evidence/certificate.ts'
import { renderCertificate } from '../evidence/certificate-html.ts'
import { createSealKeys } from '../evidence/seal.ts'
import { createStops } from '../inbox/stops.ts'
import { openExistingStore } from '../store/open.ts'

// `npm run consent:certificate -- ID`: prints the evidence of one lead as an HTML page, or with `--json` as JSON. Exit
// code 1: no such lead. 64: invalid arguments. 69: the database could not be read.

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

function readArguments(): { id: string; json: boolean } {
  try {
    const { values, positionals } = parseArgs({
      options: { json: { type: 'boolean', default: false } },
      allowPositionals: true,
    })
    const id = positionals[0]?.toLowerCase() ?? ''
    if (positionals.length === 1 && uuid.test(id)) return { id, json: values.json }
    console.error('Expected the id of one lead: npm run consent:certificate -- ID [--json]')
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
  }
  process.exit(64)
}

const { id, json } = readArguments()
if (!json && process.stdout.isTTY) {
  console.error(
    `A certificate is a page to print. Write it to a file: npm run -s consent:certificate -- ${id} > certificate.html`,
  )
  process.exit(64)
}
const { databaseUrl, consentSealKeys, stopKeys, business } = readConfigOrExit(process.env)
try {
  const store = await openExistingStore(databaseUrl)
  const stops = createStops({ store: store.inbox, keys: stopKeys, now: Date.now, onError() {} })
  const keyFault = await stops.findKeyFault()
  if (keyFault !== undefined) exitWithFaults([keyFault])
  const certificate = await createCertificate(id, {
    leads: store.inbox,
    stops,
    business,
    evidence: store.evidence,
    keys: createSealKeys(consentSealKeys),
    now: Date.now,
  })
  await store.close()
  if (certificate === undefined) {
    console.error('There is no lead with this id.')
    process.exitCode = 1
  } else if (json) {
    console.log(certificateJson(certificate))
  } else {
    console.log(renderCertificate(certificate))
  }
} catch (error) {
  console.error(`The evidence could not be read: ${error instanceof Error ? error.message : error}`)
  process.exit(69)
}
