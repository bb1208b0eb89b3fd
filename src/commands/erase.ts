import { parseArgs } from 'node:util'
import { certificateFlags, type InboxClient, leadsOf, otherContacts, withInbox } from './inbox.ts'
import { toTableRow } from './leads/formats.ts'
import { agrees, parseOrExit, print } from './terminal.ts'

// `npm run erase -- --contact CONTACT`: erases every lead of a person, after showing them and asking. Exit code 1: nothing
// was erased.

const usage = `Usage: npm run -s erase -- --contact CONTACT

Shows every lead of a phone number or an e-mail address, asks, and erases their personal data.

      --contact TEXT  the phone number or e-mail address
      --yes           do not ask
      --cert FILE     client certificate and key to use instead of the service's own
      --key FILE`

const afterwards = `
What stays here: id, kind and times of each lead, its evidence of consent without a name or a contact, and the
do-not-contact list. Backups have the data until they expire.
What this command cannot reach, and you must clean by hand: the mailbox that leads are mailed to, CSV files and
spreadsheets, the CRM or scheduling program, the texting and e-mail services, and notes on paper.
Systems that follow the feed erase their copies themselves.
`

async function erase(inbox: InboxClient, contact: string, isSure: boolean): Promise<void> {
  const leads = await leadsOf(inbox, contact)
  const count = leads.length === 1 ? 'this lead' : `these ${leads.length} leads`
  await print(leads.map(toTableRow).join(''))
  if (leads.length === 0 || !(isSure || (await agrees(`Erase ${count}? It cannot be undone. [y/N] `)))) {
    const none = 'No leads of this person: nothing was erased. Try their other phone number or e-mail address.\n'
    await print(leads.length === 0 ? none : 'Nothing was erased.\n')
    process.exitCode = 1
    return
  }
  for (const { id } of leads) await inbox.eraseLead({ id })
  const others = otherContacts(leads, contact)
  const also = others && `They also had ${others}. If these are the person's, erase what else has them.\n`
  await print(`${leads.length} leads erased.\n${also}${afterwards}`)
}

const { contact, yes, ...certificate } = parseOrExit(usage, () => {
  const flags = { contact: { type: 'string' }, yes: { type: 'boolean', default: false }, ...certificateFlags } as const
  const { contact, ...values } = parseArgs({ options: flags }).values
  if (!contact) throw new Error('expected --contact with a phone number or an e-mail address')
  return { contact, ...values }
})
await withInbox(certificate, (inbox) => erase(inbox, contact, yes))
