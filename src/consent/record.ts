import type { InboxStore } from '../inbox/stored-lead.ts'
import { sha256 } from '../lead/fingerprint.ts'
import { printable } from '../template.ts'
import { decodeEvidence, decodePersonal, type Evidence, type Personal } from './evidence-texts.ts'
import { contactsOfLead } from './opt-outs.ts'

export type ConsentRecord = NonNullable<Awaited<ReturnType<typeof createRecord>>>

/** Collects what a dispute needs, if there is such a lead. Rejects if its evidence is not that of its row. */
export async function createRecord(
  id: string,
  store: { inbox: InboxStore; readPublishedTexts(): Promise<{ text: string; since: string }[]> },
  nowMs: number,
) {
  const lead = await store.inbox.find(id)
  if (lead === undefined) return undefined
  const { personal: personalText, evidence: evidenceText, optedOutOfAll, optedOutChannels, ...facts } = lead
  const evidence = decodeEvidence(evidenceText)
  if (!(['id', 'kind', 'receivedAt'] as const).every((name) => evidence?.[name] === facts[name]))
    throw new Error('it was altered')
  const personal = personalText === null ? undefined : describePersonal(personalText, evidence)
  const published = (await store.readPublishedTexts()).map((one) => ({ ...one, sha256: sha256(one.text) }))
  /** A text by its hash, and when the service first started with it here. Without both if it was removed or altered. */
  const named = (hash: string) => {
    const { text, since } = published.find(({ sha256 }) => sha256 === hash) ?? {}
    return { sha256: hash, text, since }
  }
  const { presentedSha256 } = evidence
  return {
    issuedAt: new Date(nowMs).toISOString(),
    ...facts,
    /** The person's opt-outs, the oldest first. Empty for an erased lead, which no longer tells whose it was. */
    optOuts: personal?.fits === false ? [] : await store.inbox.findOptOuts(contactsOfLead(lead)),
    business: named(evidence.businessSha256),
    evidence,
    evidenceText,
    evidenceSha256: sha256(evidenceText),
    wording: named(evidence.wordingSha256),
    statement: named(evidence.statementSha256),
    presented: presentedSha256 === undefined ? undefined : named(presentedSha256),
    personal,
  }
}

/** `text` is exactly as stored; `fits` says whether the evidence has its hash. An altered text is not parsed. */
function describePersonal(text: string, { personalSha256 }: Evidence) {
  const fits = sha256(text) === personalSha256
  const { content, clientAddress, userAgent }: Partial<Personal> = fits ? decodePersonal(text) : {}
  return { content: content ?? {}, clientAddress, userAgent, text, fits }
}

/** Renders a record as JSON, without the control and bidirectional characters that steer a terminal. */
export function recordJson(record: ConsentRecord): string {
  const text = JSON.stringify(record, (_, value) => (typeof value === 'string' ? printable(value) : value), 2)
  // The replacer does not see the names of members, which may have been altered too.
  return printable(text)
}
