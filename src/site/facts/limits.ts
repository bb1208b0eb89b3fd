import type { DiscoveryContext } from '../context.ts'
import { code, type Markdown, plain, prose } from '../markdown.ts'

/** A limit that callers must know. */
export interface LimitFact {
  id: string
  name: string
  /** The number with its unit, the same in every document. */
  value: string
  meaning: Markdown
}

/** Formats `20000` as `20,000`. Not `toLocaleString`, whose first call takes 35 ms to load ICU. */
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

/** All the limits of the public contract (docs/specification.md §0, §6, §7). */
export function limitFacts(context: DiscoveryContext): LimitFact[] {
  const { bodyMaxBytes, duplicateWindowHours, keyWindowHours } = context
  return [
    {
      id: 'limit-body',
      name: 'Request body',
      value: amount(bodyMaxBytes, 'byte'),
      meaning: prose('In bytes, not characters. A longer body is {{code}}.', { code: code('body_too_large') }),
    },
    {
      id: 'limit-rate',
      name: 'Request rate',
      value: rateText(context),
      meaning: prose(
        'Per address: a hosted agent shares it with all that send from there. Every `POST` counts, valid or not; reading does not. Any further one is {{code}}.',
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
      meaning: plain('How long a repeated key returns the first receipt.'),
    },
    {
      id: 'limit-duplicate-window',
      name: 'Duplicate window',
      value: duplicateWindowHours === 0 ? 'none' : amount(duplicateWindowHours, 'hour'),
      meaning:
        duplicateWindowHours === 0
          ? plain('Without a key, the same content always makes a new lead.')
          : plain('How long the same content, without a key, returns the first receipt.'),
    },
    {
      id: 'limit-notice',
      name: 'Notice before a removal',
      value: '365 days',
      meaning: plain('The least time between the announcement and the removal of a public version.'),
    },
  ]
}
