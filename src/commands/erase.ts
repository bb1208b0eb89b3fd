import { parseArgs } from 'node:util'
import { uuid } from '../inbox/stored-lead.ts'
import { findOptOutsOf, type InboxClient, leadsOf, otherContacts, withInbox } from './inbox.ts'
import { nameListed, toSafeLine, toTableRow } from './leads/formats.ts'
import { agrees, parseOrExit, print } from './terminal.ts'

const usage = `Usage: npm run -s erase -- [options] CONTACT|ID

Shows every lead of a phone number or an e-mail address, or the lead with an id, asks, and erases their personal data.

      --yes        do not ask: for programs`

const afterwards = `
What stays here: id, kind and times of each lead, its evidence of consent without a name or a contact, and the
do-not-contact list. Backups have the data until they expire.
What this command cannot reach, and you must clean by hand: the mailbox that leads are mailed to, CSV files and
spreadsheets, the CRM or scheduling program, the texting and e-mail services, and notes on paper.
Systems that follow the feed should erase theirs: check.
`

async function erase(inbox: InboxClient, contact: string, isSure: boolean): Promise<void> {
  const found = uuid.test(contact) ? [(await inbox.getLead({ id: contact })).lead] : await leadsOf(inbox, contact)
  const leads = found.flatMap((lead) => (lead && !lead.erased ? lead : []))
  if (leads.length === 0) {
    console.error(`No lead has ${toSafeLine(contact)}: check the spelling, or it is erased already.
Nothing was erased now: make sure before you tell the customer anything.`)
    process.exitCode = 1
    return
  }
  const count = leads.length === 1 ? '1 lead' : `${leads.length} leads`
  const answers = await findOptOutsOf(inbox, leads)
  const missing = 'NOT on the do-not-contact list. After the erasure nobody can tell that it was theirs.'
  const states = answers.map(({ contact, optOuts }) => {
    const state = optOuts.length > 0 ? `on the do-not-contact list (channels: ${nameListed(optOuts)}).` : missing
    return `${toSafeLine(contact)}: ${state}\n`
  })
  const isListed = leads.every((lead) => lead.optedOutAt && lead.optedOutChannels.length === 0)
  const warning = isListed ? '' : 'DO NOT CONTACT is missing: if they want no contact, answer N and record that.\n'
  const rows = [...leads.map(toTableRow), ...states].join('')
  const names = new Set(leads.map(({ content }) => content.value?.name))
  const several = names.size > 1 ? `Leads of ${names.size} names: erase by id if one is another person's.\n` : ''
  await print(`${toSafeLine(answers[0]?.business ?? '')}:\n${rows}${several}${warning}`)
  if (!(await agrees(isSure, `Erase ${count} for good? In a dispute, answer N. [y/N] `, 'Nothing was erased.'))) return
  for (const { id } of leads) await inbox.eraseLead({ id })
  const others = otherContacts(answers, contact)
  const also = others && `They also had ${others}. If these are the person's, erase what else has them.\n`
  await print(`${count} erased.\n${also}${afterwards}`)
}

const { contact, yes = false } = parseOrExit(usage, () => {
  const { values, positionals } = parseArgs({ options: { yes: { type: 'boolean' } }, allowPositionals: true })
  const [contact, ...more] = positionals
  if (!contact || more.length > 0)
    throw new Error('expected one phone number, e-mail address or id; write it in quotes')
  return { ...values, contact }
})
await withInbox((inbox) => erase(inbox, contact, yes))
