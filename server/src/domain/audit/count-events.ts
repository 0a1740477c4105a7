import type { EventInterval, EventStatistics } from '@muster/contract'
import type { AuthorizedScope } from '../scope.ts'
import { timestamp } from '../timestamp.ts'
import { createZonedTime } from '../zoned-time.ts'
import type { EventCountQuery, EventStore } from './event-store.ts'

/** A request counts no more. It takes about a second. */
export const mostCounted = 500_000

/** Counts the events of a scope per day or hour of a time zone. */
export async function countEvents(
  events: Pick<EventStore, 'count'>,
  authorizedScope: AuthorizedScope,
  query: EventCountQuery,
  { interval = 'day', timeZone = 'UTC' }: { interval?: EventInterval; timeZone?: string },
): Promise<EventStatistics> {
  const zoned = createZonedTime(timeZone, 'time_zone')
  const quarters = await events.count(authorizedScope, query, mostCounted)
  const groups = new Map<string, { start: string; count: number; failed: number }>()
  let total = 0
  for (const { start: quarter, count, failed } of quarters) {
    const start = zoned(quarter)[interval]
    const group = groups.get(start) ?? { start, count: 0, failed: 0 }
    groups.set(start, group)
    group.count += count
    group.failed += failed
    total += count
  }
  const [first] = quarters
  const isComplete = total < mostCounted
  return {
    total,
    groups: [...groups.values()],
    is_complete: isComplete,
    counted_since: isComplete || !first ? null : timestamp(first.start),
  }
}
