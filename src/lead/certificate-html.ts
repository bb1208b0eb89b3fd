import type { Certificate, NamedText, SealVerdict } from './certificate.ts'

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/**
 * Control characters except line breaks and tabs, and characters that change the text direction. Nobody may make the
 * page show something other than what is stored.
 */
const unprintable = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

/** Removes what cannot be shown safely. */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => (character === '\n' || character === '\t' ? character : '\ufffd'))
}

/** Escapes any value, since SQLite can hold bytes in place of a text. */
function escapeHtml(text: string): string {
  return printable(String(text)).replace(/[&<>"']/g, (character) => entities[character] as string)
}

type Row = readonly [name: string, value: string | undefined]

function table(rows: readonly Row[]): string {
  const shown = rows.map(
    ([name, value]) => `<tr><th>${escapeHtml(name)}</th><td>${escapeHtml(value ?? 'not known')}</td></tr>`,
  )
  return `<table>${shown.join('\n')}</table>`
}

const verdicts: Record<SealVerdict, string> = {
  holds: 'recomputed for this page: it holds',
  broken: 'recomputed for this page: IT DOES NOT HOLD. Something in this segment was altered, added or removed.',
  'key missing': 'not recomputed: CONSENT_SEAL_KEY does not contain the key of this segment',
  'not sealed yet': 'this lead is not in a segment yet: the service seals within a minute',
}

function quoteText(title: string, { sha256, text }: NamedText): string {
  const body =
    text === undefined
      ? '<p>The database has no text with this hash: it was removed or altered.</p>'
      : `<blockquote>${escapeHtml(text)}</blockquote>`
  return `<h2>${escapeHtml(title)}</h2>${body}<p>SHA-256: <code>${escapeHtml(sha256)}</code></p>`
}

/** `contain` keeps stacked accents in a caller's text from covering what is around it. */
const style = `body { font: 11pt/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; color: #111 }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #ccc }
th { width: 14rem; font-weight: 600 } td, code, pre { overflow-wrap: anywhere; white-space: pre-wrap } blockquote { margin: 0; padding-left: 1rem; border-left: 3px solid #888 }
td, pre, blockquote { contain: paint }
@media print { body { margin: 0; max-width: none } h2 { break-after: avoid } table, blockquote { break-inside: avoid } }`

/** Renders a certificate as one printable page. Escapes everything that a caller wrote. */
export function renderCertificate(certificate: Certificate): string {
  const { id, evidence, personal, erasure, segment } = certificate
  const consent =
    evidence.communicationsConsent === null
      ? 'none: a contact message needs none'
      : String(evidence.communicationsConsent)
  const seal: Row[] = segment
    ? [
        ['Segment', `${segment.segment}: places ${segment.first} to ${segment.last}, ${segment.entries} entries`],
        ['Sealed', segment.sealedAt],
        ['Key', segment.keyId ?? 'none: a seal without a key shows accidents, not attackers'],
        ['Seal', segment.seal],
      ]
    : []
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Evidence of consent: lead ${escapeHtml(id)}</title><style>${style}</style></head>
<body>
<h1>Evidence of consent</h1>
${table([
  ['Lead', id],
  ['Kind', certificate.kind],
  ['Received', `${certificate.receivedAt} (by the service's clock)`],
  ['Consent as submitted', consent],
  ['Time of consent as submitted', evidence.consentTimestamp ?? 'not sent'],
  ['Purpose', evidence.purpose],
  ['Submitted by', evidence.path],
  ['Request', evidence.requestId],
  ...(evidence.caller === undefined ? [] : [['Calling system', evidence.caller] as const]),
  ...(evidence.originSent === false ? [['Origin', 'the calling system sent none'] as const] : []),
  ['Certificate made', certificate.issuedAt],
])}
${quoteText(`The wording in force (version ${evidence.termsVersion})`, certificate.wording)}
<p>The service published this wording in its documents, its field descriptions and its errors. It cannot know that the customer was shown it.</p>
${quoteText('What the caller stated by sending true', certificate.statement)}
<h2>What was submitted, and from where</h2>
${
  personal === undefined
    ? `<p>The personal data of this lead was erased${erasure ? ` on ${escapeHtml(erasure.at)} (${escapeHtml(erasure.reason)}${erasure.caller ? `, by ${escapeHtml(erasure.caller)}` : ''})` : ', and there is no record of an erasure'}. What remains shows that a submission with this
consent value arrived at this time. It does not show whose it was, and nobody can confirm that from the hash.</p>`
    : table([
        ...Object.entries(personal.content).map(([name, value]): Row => [name, String(value)]),
        ['Client address', personal.clientAddress],
        ['User agent', personal.userAgent],
        [
          'Matches the evidence',
          personal.fits ? 'yes: the SHA-256 below is that of the personal text' : 'NO: it was altered',
        ],
      ])
}
<h2>Hashes and seal</h2>
${table([['SHA-256 of the personal text', evidence.personalSha256], ...seal, ['This seal was', verdicts[certificate.seal]]])}
<h2>How to check this</h2>
<ol>
<li>${personal === undefined ? 'The personal text is gone, so its hash cannot be recomputed.' : 'The SHA-256 of the personal text below, in UTF-8, is the hash above.'}</li>
<li>The SHA-256 of each wording above, in UTF-8, is the hash that stands below it and in the evidence text.</li>
<li><code>npm run consent:verify</code> recomputes every segment from the first lead on; with <code>--witness</code> and an archive of the log it also finds an end that was cut off. How a seal is computed is in docs/inbox.md.</li>
</ol>
<h2>The stored texts</h2>
<p>Evidence:</p><pre>${escapeHtml(certificate.evidenceText)}</pre>
${personal === undefined ? '' : `<p>Personal:</p><pre>${escapeHtml(personal.text)}</pre>`}
</body>
</html>
`
}
