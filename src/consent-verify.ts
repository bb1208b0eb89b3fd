import { readConfigOrExit } from './config/read-or-exit.ts'
import { checkConsent } from './lead/consent-check.ts'
import { openStore } from './store/open.ts'

// `npm run consent:verify`: recomputes the hashes of all evidence and names the leads that fail.
// Exit code 1: some fail. 69 (`EX_UNAVAILABLE` of sysexits.h): the records could not be read, so nothing is known.
const { databaseUrl } = readConfigOrExit(process.env)
try {
  const store = await openStore({ url: databaseUrl })
  const { leads, erased, failures } = await checkConsent(store.inbox)
  await store.close()
  for (const { id, failure } of failures) console.log(`${id} ${failure}`)
  console.log(`${leads} leads checked, ${erased} of them erased: ${failures.length} failures.`)
  process.exitCode = failures.length > 0 ? 1 : 0
} catch (error) {
  console.error(`The evidence could not be read: ${error instanceof Error ? error.message : error}`)
  process.exit(69)
}
