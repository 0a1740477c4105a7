import type { Clock } from '../domain/clock.ts'
import type { TimelineUseCases } from '../domain/inventory/read-timeline.ts'
import type { DatabaseReader, DatabaseWriter } from '../storage/database.ts'
import { loadOnce } from './load-once.ts'

interface Parts {
  readonly database: DatabaseReader & DatabaseWriter
  readonly clock: Clock
}

/** The timeline is read rarely and counted once an hour, so its code is loaded when it is first needed. */
export function composeTimeline({ database, clock }: Parts): TimelineUseCases {
  const loaded = loadOnce(async (): Promise<TimelineUseCases> => {
    const [{ createTimelineUseCases }, { createTimelineStore }] = await Promise.all([
      import('../domain/inventory/read-timeline.ts'),
      import('../storage/servers/timeline.ts'),
    ])
    return createTimelineUseCases({ timeline: createTimelineStore(database), clock })
  })
  return {
    readTimeline: async (caller, query) => (await loaded()).readTimeline(caller, query),
    countToday: async () => (await loaded()).countToday(),
  }
}
