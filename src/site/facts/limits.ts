import type { DiscoveryContext } from '../context.ts'
import { code, type Markdown, plain, prose } from '../markdown.ts'

/** A number that a caller has to know. */
export interface LimitFact {
  id: string
  name: string
  /** The number with its unit, as every document writes it. */
  value: string
  meaning: Markdown
}

/** `20000` as `20,000`. Not `toLocaleString`: the first use of ICU would cost the start 35 ms. */
export function grouped(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
}

/** `1 hour`, `24 hours`. */
export function amount(value: number, unit: string): string {
  return `${grouped(value)} ${unit}${value === 1 ? '' : 's'}`
}

/** `10 submissions per minute`, or per so many seconds. */
export function rateText({ policy }: Pick<DiscoveryContext, 'policy'>): string {
  const window = policy.windowSeconds === 60 ? 'minute' : amount(policy.windowSeconds, 'second')
  return `${amount(policy.limit, 'submission')} per ${window}`
}

/** Every limit of the public contract (docs/specification.md §0, §6, §7). */
export function limitFacts(context: DiscoveryContext): LimitFact[] {
  const { bodyMaxBytes, duplicateWindowHours, keyWindowHours } = context
  return [
    {
      id: 'limit-body',
      name: 'Request body',
      value: amount(bodyMaxBytes, 'byte'),
      meaning: prose(
        'Bytes of content as sent, not characters; chunked bodies are counted while they arrive. One byte more is {{code}}.',
        { code: code('body_too_large') },
      ),
    },
    {
      id: 'limit-rate',
      name: 'Request rate',
      value: rateText(context),
      meaning: prose(
        'Per client. Every `POST` to either lead path counts, valid or not; reading does not. One more is {{code}}.',
        { code: code('rate_limited') },
      ),
    },
    {
      id: 'limit-key',
      name: 'Idempotency-Key',
      value: '255 characters',
      meaning: plain('1 to 255 printable ASCII characters.'),
    },
    {
      id: 'limit-key-window',
      name: 'Idempotency-Key retention',
      value: amount(keyWindowHours, 'hour'),
      meaning: plain('How long a key gives the first receipt again.'),
    },
    {
      id: 'limit-duplicate-window',
      name: 'Duplicate window',
      value: duplicateWindowHours === 0 ? 'none' : amount(duplicateWindowHours, 'hour'),
      meaning:
        duplicateWindowHours === 0
          ? plain('The same content always makes another lead unless a key is sent.')
          : plain('How long the same content, sent again without a key, gives the first receipt again.'),
    },
    {
      id: 'limit-notice',
      name: 'Notice before a removal',
      value: '365 days',
      meaning: plain('At least this long before a public version is removed.'),
    },
  ]
}
