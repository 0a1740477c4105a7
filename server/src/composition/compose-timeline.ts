import type { Clock } from '../domain/clock.ts'
import type { TimelineUseCases } from '../domain/inventory/read-timeline.ts'
import type { Database } from '../storage/database.ts'
import { loadOnce } from './load-once.ts'

interface Parts {
  readonly database: Database
  readonly clock: Clock
}

/** How big the fleet was: asked for seldom and counted once an hour, so it is loaded when it is needed. */
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
