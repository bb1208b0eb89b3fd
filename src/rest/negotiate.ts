/**
 * Parsers for content negotiation headers. Each makes one pass over its text, without backtracking. In a malformed
 * field, the parts that can be read still count.
 */

/** A media type with its parameters (RFC 9110 §8.3.1), or a media range (§12.5.1). Names are lowercase. */
interface MediaType {
  essence: string
  parameters: ReadonlyMap<string, string>
}

const parameter = /;[ \t]*([^=;]*)(?:=("(?:[^"\\]|\\.)*"?|[^;]*))?/gs

/** Parses a media type. Among parameters with the same name, the first one counts. */
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

/** Parses a weight (RFC 9110 §12.4.2). An invalid one counts as 0: not acceptable. */
function readWeight(text: string | undefined): number {
  if (text === undefined) return 1
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0
}

/** The offered media type that `Accept` prefers. Undefined: it accepts none (RFC 9110 §12.5.1). */
export function chooseMediaType(accept: string, offered: readonly string[]): string | undefined {
  const ranges = accept.split(',').map(readMediaType)
  let best: { type: string | undefined; rank: Rank } = nothing
  for (const type of offered) {
    const rank = rankOf(type, ranges)
    if (rank[0] > 0 && (best === nothing || isBefore(rank, best.rank))) best = { type, rank }
  }
  return best.type
}

/**
 * How a caller ranks a type: its weight, the specificity of the matching range, and the range's position in the field.
 */
type Rank = readonly [weight: number, specificity: number, place: number]

const nothing: { type: string | undefined; rank: Rank } = { type: undefined, rank: [0, 0, 0] }

/** Among types with the same weight, an exact match comes first, then the earlier one. */
function isBefore(one: Rank, other: Rank): boolean {
  return (one[0] - other[0] || one[1] - other[1] || other[2] - one[2]) > 0
}

/** The rank of a type by its most specific matching range. */
function rankOf(type: string, ranges: readonly MediaType[]): Rank {
  const patterns = ['*/*', `${type.split('/', 1)[0]}/*`, type]
  for (let specificity = patterns.length - 1; specificity >= 0; specificity--) {
    const place = ranges.findIndex(({ essence }) => essence === patterns[specificity])
    if (place >= 0) return [readWeight(ranges[place]?.parameters.get('q')), specificity, place]
  }
  return nothing.rank
}

/** The content codings for documents, best first (RFC 9110 §8.4.1). */
export const codings = ['br', 'gzip', 'identity'] as const
export type Coding = (typeof codings)[number]

/** The best coding that `Accept-Encoding` accepts (RFC 9110 §12.5.3). `identity` when it accepts none. */
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

/** Whether `If-None-Match` contains an ETag, by weak comparison (RFC 9110 §13.1.2). */
export function namesEtag(field: string, etag: string): boolean {
  return field === etag || field.trim() === '*' || (field.match(/"[^"]*"/g) ?? ([] as string[])).includes(etag)
}
