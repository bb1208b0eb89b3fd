import { parseArgs } from 'node:util'
import { certificateJson, createCertificate } from '../evidence/certificate.ts'
import { renderCertificate } from '../evidence/certificate-html.ts'
import { parseId } from '../inbox/parse-fields.ts'
import { exitWithUsage, openOptOuts, runOnStore } from './run.ts'

// `npm run consent:certificate -- ID`: prints the evidence of a lead as HTML, or as `--json`. Exit code 1: no such lead.

function parseOptions(): { id: string; json: boolean } {
  try {
    const { values, positionals } = parseArgs({
      options: { json: { type: 'boolean', default: false } },
      allowPositionals: true,
    })
    if (positionals.length === 1) return { id: parseId(String(positionals[0])), json: values.json }
  } catch {
    // An unknown option, or no id.
  }
  exitWithUsage('Expected the id of one lead: npm run consent:certificate -- ID [--json]')
}

const { id, json } = parseOptions()
if (!json && process.stdout.isTTY)
  exitWithUsage(
    `A certificate is a page to print. Write it to a file: npm run -s consent:certificate -- ${id} > certificate.html`,
  )
await runOnStore('The evidence could not be read', async (store, config) => {
  const certificate = await createCertificate(id, {
    leads: store.inbox,
    optOuts: await openOptOuts(store, config),
    business: config.business,
    readWordings: store.readWordings,
    now: Date.now,
  })
  if (certificate !== undefined) return console.log((json ? certificateJson : renderCertificate)(certificate))
  console.error('There is no lead with this id.')
  process.exitCode = 1
})
