import type { Logger } from '../ops/log.ts'

/** How often the log names a page with an old wording, in milliseconds. Each of its leads would be the same news. */
const everyMs = 86_400_000

/**
 * Tells the operator that a form still presents a wording that is no longer in force: counts each of its leads, and once
 * a day logs the origin of its page.
 */
export function createOutdatedWordingNotice(log: Logger, count: () => void, now: () => number) {
  let quietUntilMs = Number.NEGATIVE_INFINITY
  return (pageUrl: string | undefined): void => {
    count()
    if (now() < quietUntilMs) return
    quietUntilMs = now() + everyMs
    const hint =
      'if this goes on for more than an hour after a change, a form there has an old wording: see /website-forms'
    log.warn({ origin: URL.parse(pageUrl ?? '')?.origin, hint }, 'a lead was presented a wording that is not in force')
  }
}
