import { parseArgs } from 'node:util'
import { toTableRow } from './leads/formats.ts'
import type { InboxClient } from './leads/inbox-client.ts'
import { agrees, certificateFlags, leadsOf, otherContacts, print, shellWord, withInbox } from './office.ts'

// `npm run erase -- --contact CONTACT`: erases every lead of a person, after showing them and asking. Exit code 1: nothing
// was erased.

const usage = `Usage: npm run -s erase -- --contact CONTACT

Shows every lead of a phone number or an e-mail address, asks, and erases their personal data.

      --contact TEXT  the phone number or e-mail address
      --yes           do not ask
      --cert FILE     client certificate and key to use instead of the service's own
      --key FILE
`

const afterwards = `
What stays here: id, kind and times of each lead, its evidence of consent without a name or a contact, and the
do-not-contact list. Backups have the data until they expire.
What this command cannot reach, and you must clean by hand: the mailbox that leads are mailed to, CSV files and
spreadsheets, the CRM or scheduling program, the texting and e-mail services, and notes on paper.
Systems that follow the feed erase their copies themselves.
`

async function erase(inbox: InboxClient, contact: string, isSure: boolean): Promise<void> {
  const leads = await leadsOf(inbox, contact)
  if (leads.length === 0) {
    await print('No leads of this person: nothing was erased. Try their other phone number or e-mail address.\n')
    process.exitCode = 1
    return
  }
  for (const lead of leads) await print(toTableRow(lead))
  if (
    !isSure &&
    !(await agrees(
      `Erase ${leads.length === 1 ? 'this lead' : `these ${leads.length} leads`}? It cannot be undone. [y/N] `,
    ))
  ) {
    await print('Nothing was erased.\n')
    process.exitCode = 1
    return
  }
  for (const { id } of leads) await inbox.eraseLead({ id })
  await print(`${leads.length} leads erased.\n`)
  for (const other of otherContacts(leads, contact))
    await print(`They also had ${other}. To erase what else has it: npm run erase -- --contact ${shellWord(other)}\n`)
  await print(afterwards)
}

function parseOptions() {
  const { values } = parseArgs({
    options: {
      contact: { type: 'string' },
      yes: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
      ...certificateFlags,
    },
  })
  if (!values.help && !values.contact) throw new Error('expected --contact with a phone number or an e-mail address')
  return { ...values, contact: values.contact ?? '' }
}

try {
  const { help, contact, yes, ...certificate } = parseOptions()
  await (help ? print(usage) : withInbox(certificate, (inbox) => erase(inbox, contact, yes)))
} catch (error) {
  console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
  process.exitCode = 64
}
