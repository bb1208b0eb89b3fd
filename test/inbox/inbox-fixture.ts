// The inbox's use cases on an in-memory store.

import type { Watched, WatchInput } from '../../src/inbox/follow.ts'
import { createInbox, type ListInput } from '../../src/inbox/inbox.ts'
import { createStops } from '../../src/inbox/stops.ts'
import { createMemoryInbox, noon, type StoredLeadChanges } from './memory-inbox.ts'

export const everything: ListInput = {
  pageSize: 0,
  pageToken: '',
  kind: undefined,
  receivedAfterMs: undefined,
  receivedBeforeMs: undefined,
  contact: '',
}

const fromTheFirst: WatchInput = {
  cursor: '',
  startTimeMs: undefined,
  startNow: false,
  kind: undefined,
  consumer: '',
}

export const stopKey = 'a key of sixteen characters'

export const { signal: forever } = new AbortController()

export function setUpInbox(
  count = 0,
  { keys = [stopKey], heartbeatMs }: { keys?: string[]; heartbeatMs?: number } = {},
) {
  const store = createMemoryInbox()
  const clock = { nowMs: noon }
  const errors: unknown[] = []
  const now = () => clock.nowMs
  const stops = createStops({ store, keys, now, onError: (error) => errors.push(error) })
  const inbox = createInbox({
    store,
    stops,
    now,
    ...(heartbeatMs && { heartbeatMs }),
  })
  store.add(count)
  return {
    store,
    inbox,
    stops,
    clock,
    errors,
    list: (input: Partial<ListInput> = {}) => inbox.list({ ...everything, ...input }),
    watch: (input: Partial<WatchInput> = {}, signal = forever) => inbox.watch({ ...fromTheFirst, ...input }, signal),
    /** Messages until the stream has caught up, and the last cursor. */
    async drain(input: Partial<WatchInput> = {}): Promise<{ messages: Watched[]; cursor: string }> {
      const messages: Watched[] = []
      for await (const message of await inbox.watch({ ...fromTheFirst, ...input }, forever)) {
        if (message.lead === undefined) return { messages, cursor: message.cursor }
        messages.push(message)
      }
      throw new Error('the stream ended')
    },
    /** A lead of this person. */
    addOf: (content: { phone?: string; email?: string }, changes: StoredLeadChanges = {}) =>
      store.add(1, { ...changes, content: { formType: 'quote', name: 'Pat Example', ...content } })[0] as {
        id: string
        position: number
      },
  }
}

export type InboxFixture = ReturnType<typeof setUpInbox>
