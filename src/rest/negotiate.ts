/**
 * Readers of the header fields by which caller and service agree on a form. Each walks its text once from left to right,
 * and never fails back to an earlier place. A field that is malformed means what its readable parts mean.
 */

/** A media type with its parameters (RFC 9110 §8.3.1), or a range of them (§12.5.1). Names are in lower case. */
interface MediaType {
  essence: string
  parameters: ReadonlyMap<string, string>
}

const parameter = /;[ \t]*([^=;]*)(?:=("(?:[^"\\]|\\.)*"?|[^;]*))?/gs

/** Reads a media type. Of parameters with one name, the first counts. */
export function readMediaType(text: string): MediaType {
  const end = text.indexOf(';')
  const parameters = new Map<string, string>()
  if (end >= 0) {
    for (const [, name = '', value = ''] of text.slice(end).matchAll(parameter)) {
      const key = name.trim().toLowerCase()
      if (!parameters.has(key)) parameters.set(key, unquote(value))
    }
  }
  return { essence: (end < 0 ? text : text.slice(0, end)).trim().toLowerCase(), parameters }
}

function unquote(value: string): string {
  if (!value.startsWith('"')) return value.trim()
  return value.slice(1, value.endsWith('"') ? -1 : undefined).replace(/\\(.)/gs, '$1')
}

/** A weight (RFC 9110 §12.4.2); what is none counts as not acceptable. */
function readWeight(text: string | undefined): number {
  if (text === undefined) return 1
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0
}

/** The media type that `Accept` prefers; undefined when it takes none (RFC 9110 §12.5.1). */
export function chooseMediaType(accept: string, offered: readonly string[]): string | undefined {
  const ranges = accept.split(',').map(readMediaType)
  let best: { type: string | undefined; rank: Rank } = nothing
  for (const type of offered) {
    const rank = rankOf(type, ranges)
    if (rank[0] > 0 && (best === nothing || isBefore(rank, best.rank))) best = { type, rank }
  }
  return best.type
}

/** The weight that a caller gives to a type, how many of its patterns are less specific, and its place in the field. */
type Rank = readonly [weight: number, specificity: number, place: number]

const nothing: { type: string | undefined; rank: Rank } = { type: undefined, rank: [0, 0, 0] }

/** Of types that weigh the same, the one that is named exactly comes first, then the one that is named first. */
function isBefore(one: Rank, other: Rank): boolean {
  return (one[0] - other[0] || one[1] - other[1] || other[2] - one[2]) > 0
}

/** What the most specific range that matches a type says of it. */
function rankOf(type: string, ranges: readonly MediaType[]): Rank {
  const patterns = ['*/*', `${type.split('/', 1)[0]}/*`, type]
  for (let specificity = patterns.length - 1; specificity >= 0; specificity--) {
    const place = ranges.findIndex(({ essence }) => essence === patterns[specificity])
    if (place >= 0) return [readWeight(ranges[place]?.parameters.get('q')), specificity, place]
  }
  return nothing.rank
}

/** The content codings that documents are offered in, the best first (RFC 9110 §8.4.1). */
export const codings = ['br', 'gzip', 'identity'] as const
export type Coding = (typeof codings)[number]

/** The best coding that `Accept-Encoding` takes (RFC 9110 §12.5.3); plain text when it takes none. */
export function chooseCoding(field: string | undefined): Coding {
  if (!field) return 'identity'
  const weights = new Map(
    field.split(',').map((item) => {
      const { essence, parameters } = readMediaType(item)
      return [essence === 'x-gzip' ? 'gzip' : essence, readWeight(parameters.get('q'))] as const
    }),
  )
  const weighCoding = (coding: Coding) => weights.get(coding) ?? (coding === 'identity' ? 0 : (weights.get('*') ?? 0))
  const best = codings.reduce((one, other) => (weighCoding(other) > weighCoding(one) ? other : one))
  return weighCoding(best) > 0 ? best : 'identity'
}

/** Whether `If-None-Match` names a form, by weak comparison (RFC 9110 §13.1.2). */
export function namesEtag(field: string, etag: string): boolean {
  return field === etag || field.trim() === '*' || (field.match(/"[^"]*"/g) ?? ([] as string[])).includes(etag)
}
