import {
  maxTimelineDays,
  defaultTimelineDays,
  type ServerTimeline,
  type ServerTimelineQuery,
} from '@muster/contract'
import type { Caller } from '../identity/caller.ts'
import type { Clock } from '../clock.ts'
import { dayOf, drawTimeline } from './draw-timeline.ts'
import { requesterOf } from './ports.ts'
import { findVisibility } from './server-list/visibility.ts'
import type { TimelineStore } from './timeline-store.ts'

interface Dependencies {
  readonly timeline: TimelineStore
  readonly clock: Clock
}

/** The daily totals of servers and sizes: callers read them, the platform stores them. */
export function createTimelineUseCases({ timeline, clock }: Dependencies) {
  return {
    async readTimeline(
      caller: Caller,
      { days = defaultTimelineDays, scope: requested, project_id, domain_id }: ServerTimelineQuery,
    ): Promise<ServerTimeline> {
      const { scope } = findVisibility(caller.principal, caller.authorizedScope.scope, requested)
      const today = dayOf(clock())
      const filter = { scope, projectIds: project_id, domainIds: domain_id }
      const history = await timeline.read(filter, today - days + 1, requesterOf(caller))
      return { timeline: drawTimeline(today, days, history) }
    },

    async countToday(): Promise<void> {
      const today = dayOf(clock())
      await timeline.count(today)
      await timeline.forget(today - maxTimelineDays)
    },
  }
}
export type TimelineUseCases = ReturnType<typeof createTimelineUseCases>
