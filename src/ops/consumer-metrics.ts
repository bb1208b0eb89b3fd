import type { ConsumerLag } from '../lead/consumers.ts'
import type { createCounts } from './counts.ts'

/** Gauges about the consumers of the feed. */
export function createConsumerMetrics(gauge: ReturnType<typeof createCounts>['gauge']) {
  const labels = ['consumer']
  const open = gauge('lead_intake_consumer_streams', 'Open streams of the feed by consumer.', labels)
  const leads = gauge('lead_intake_consumer_lag_leads', 'Entries that a consumer has not been sent.', labels)
  const seconds = gauge(
    'lead_intake_consumer_lag_seconds',
    'Age of the oldest entry that a consumer has not been sent.',
    labels,
  )
  let read: () => Promise<readonly ConsumerLag[]> = async () => []

  return {
    /** Sets the source of the numbers. */
    observe(source: () => Promise<readonly ConsumerLag[]>) {
      read = source
    },
    /** Updates the gauges before a scrape. */
    async update() {
      const consumers = await read()
      for (const metric of [open, leads, seconds]) metric.reset()
      for (const { consumer, streams, lag } of consumers) {
        open.set({ consumer }, streams)
        if (lag === undefined) continue
        leads.set({ consumer }, lag.leads)
        seconds.set({ consumer }, lag.seconds)
      }
    },
  }
}
